package dev.weir.cli.shared;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints: the version of this build, and the JDK it runs on. */
public final class Version implements IVersionProvider {
    /** For picocli, which makes one where a command asks for it. */
    public Version() {}

    @Override
    public String[] getVersion() throws IOException {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            build.load(in);
        }
        return new String[] {
            "weir " + build.getProperty("version"), "Java " + System.getProperty("java.runtime.version")
        };
    }
}
