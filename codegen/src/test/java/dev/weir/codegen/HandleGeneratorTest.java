package dev.weir.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandleGeneratorTest {

    /**
     * The number of methods of each interface on JDK 17. A method that a later JDK adds must be looked at before it is
     * written.
     */
    private static final Map<String, Integer> METHODS_OF_JDK_17 = Map.ofEntries(
            Map.entry("Connection", 60),
            Map.entry("Statement", 56),
            Map.entry("PreparedStatement", 114),
            Map.entry("CallableStatement", 235),
            Map.entry("ResultSet", 195),
            Map.entry("DatabaseMetaData", 179),
            Map.entry("ResultSetMetaData", 23),
            Map.entry("ParameterMetaData", 11),
            Map.entry("Array", 11),
            Map.entry("Blob", 11),
            Map.entry("Clob", 13),
            Map.entry("NClob", 13),
            Map.entry("SQLXML", 9),
            Map.entry("Struct", 3),
            Map.entry("Ref", 4));

    @Test
    void theSourcesAreTheSameWheneverTheyAreWritten() {
        assertThat(HandleGenerator.sources().text())
                .isEqualTo(HandleGenerator.sources().text());
    }

    /** A digest of all signatures. The build runs on several JDKs, so one expected value is proof that they write the same. */
    @Test
    void theSourcesAreTheSameOnEveryJdk() throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        HandleGenerator.sources().text().values().forEach(source -> {
            for (String line : source.lines().toList()) {
                if (!line.startsWith("import ") && line.contains("public ")) {
                    digest.update(line.strip().getBytes(StandardCharsets.UTF_8));
                }
            }
        });
        assertThat(HexFormat.of().formatHex(digest.digest()))
                .isEqualTo("66cee452f0de1e9cd7efe9ae84af0878db24fe8157ae25a30ff3f661c6443a0f");
    }

    @Test
    void everyMethodIsWrittenOrHasItsPlaceInTheBase() {
        for (HandleSpec spec : HandleSpec.ALL) {
            String name = spec.jdbc().getSimpleName();
            long byHand = 0;
            for (Method method : spec.jdbc().getMethods()) {
                byHand += spec.isHandWritten(method) ? 1 : 0;
            }
            assertThat(HandleGenerator.methods(spec).size() + byHand)
                    .as(name)
                    .isEqualTo(METHODS_OF_JDK_17.get(name).longValue());
        }
    }

    @Test
    void aFileThatWouldNotChangeIsLeftAlone(@TempDir Path folder) throws IOException {
        HandleGenerator.main(new String[] {folder.toString()});
        Path file = folder.resolve("dev/weir/internal/handles/ConnectionHandle.java");
        FileTime longAgo = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(file, longAgo);
        HandleGenerator.main(new String[] {folder.toString()});
        assertThat(Files.getLastModifiedTime(file)).isEqualTo(longAgo);
    }
}
