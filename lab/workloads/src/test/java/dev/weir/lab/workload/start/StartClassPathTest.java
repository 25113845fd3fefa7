package dev.weir.lab.workload.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Contenders;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The JVM in which a pool's first seconds are measured has that pool and no other. */
class StartClassPathTest {
    @Test
    void aPoolComesFirstAndTheOthersAreNotThere() throws Exception {
        for (Contender contender : Contenders.all()) {
            List<URL> urls = new ArrayList<>();
            List<String> entries =
                    Arrays.asList(StartWorkload.classPath(contender).split(File.pathSeparator, -1));
            for (String entry : entries) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            assertThat(entries).doesNotHaveDuplicates();
            try (URLClassLoader jvm =
                    new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
                for (Contender other : Contenders.all()) {
                    Class<?> type = other.type();
                    if (type != null) {
                        assertThat(isThere(type.getName(), jvm))
                                .as(other.name() + " beside " + contender.name())
                                .isEqualTo(other == contender);
                    }
                }
            }
            Path library = contender.library();
            if (library != null) {
                assertThat(Path.of(entries.get(0))).isEqualTo(library.toRealPath());
            }
        }
    }

    private static boolean isThere(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader).getClassLoader() == loader;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
