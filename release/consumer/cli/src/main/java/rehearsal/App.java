package rehearsal;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** The one jar, run as a user runs it: nothing else on its class path. */
public final class App {
    public static void main(String[] args) throws Exception {
        String jar = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> path.endsWith("-all.jar"))
                .findFirst()
                .orElseThrow();
        Process weir = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", jar, "--version")
                .redirectErrorStream(true)
                .start();
        String said = new String(weir.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (weir.waitFor() != 0 || !said.contains(args[0])) {
            throw new AssertionError(said);
        }
    }
}
