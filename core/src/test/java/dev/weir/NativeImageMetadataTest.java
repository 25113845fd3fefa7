package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** No native image is built here; what the metadata names must be there, and what is called by its name must be in it. */
final class NativeImageMetadataTest {
    private static final Pattern NAMES = Pattern.compile("\"(type|name)\":\\s*\"([^\"]+)\"");

    @Test
    void whatItNamesIsThere() throws Exception {
        for (var entry : metadata().entrySet()) {
            Class<?> type = Class.forName(entry.getKey());
            List<String> there = new ArrayList<>(
                    Arrays.stream(type.getMethods()).map(Method::getName).toList());
            if (type.getConstructors().length > 0) {
                there.add("<init>");
            }
            assertThat(there).as(type.getName()).containsAll(entry.getValue());
        }
    }

    @Test
    void whatTheDialectsCallIsInIt() throws Exception {
        Map<String, Set<String>> metadata = metadata();
        assertThat(metadata.get("org.postgresql.core.BaseConnection"))
                .containsExactly("getBackendPID", "getTransactionState");
        assertThat(metadata.get("org.postgresql.PGConnection")).containsExactly("getParameterStatus");
        assertThat(metadata.get("org.postgresql.util.PSQLException")).containsExactly("getServerErrorMessage");
        assertThat(metadata.get("org.postgresql.util.ServerErrorMessage")).containsExactly("getSeverity");
        assertThat(metadata.get("org.mariadb.jdbc.Connection")).containsExactly("getContext", "getThreadId", "reset");
        assertThat(metadata.get("org.mariadb.jdbc.client.Context"))
                .containsExactly(
                        "getConf",
                        "getDatabase",
                        "getMaxscaleVersion",
                        "getServerStatus",
                        "getThreadId",
                        "getTransactionIsolationLevel");
        assertThat(metadata.get("org.mariadb.jdbc.Configuration"))
                .containsExactly("haMode", "transactionReplay", "useResetConnection");
        assertThat(metadata).containsKey("com.mysql.cj.jdbc.JdbcConnection");
        assertThat(metadata.get("com.mysql.cj.MysqlConnection")).containsExactly("getSession");
        assertThat(metadata.get("com.mysql.cj.Session")).containsExactly("getServerSession", "getThreadId");
        assertThat(metadata.get("com.mysql.cj.protocol.ServerSession"))
                .containsExactly("getStatusFlags", "isAutoCommit");
    }

    @Test
    void theSocketFactoriesThatDriversLoadAreInIt() throws Exception {
        assertThat(metadata().get("dev.weir.internal.sockets.WatchedSocketFactory"))
                .containsExactly("<init>");
        assertThat(metadata().get("dev.weir.internal.sockets.MySqlSocketFactory"))
                .containsExactly("<init>");
    }

    @Test
    void theConstructorsOfThatOfPostgresAreInIt() throws Exception {
        Class<?> factory = Class.forName("dev.weir.internal.sockets.WatchedSocketFactory");
        String all = text().replaceAll("\\s", "");
        String own = all.substring(all.indexOf(factory.getName()));
        own = own.substring(0, own.indexOf("]}]"));
        for (Constructor<?> constructor : factory.getConstructors()) {
            String types = Arrays.stream(constructor.getParameterTypes())
                    .map(type -> '"' + type.getName() + '"')
                    .collect(Collectors.joining(",", "\"parameterTypes\":[", "]"));
            assertThat(own + "]").contains(types);
        }
    }

    /** A method that is looked up by its name and is not in the metadata is not there in a native image. */
    @Test
    void everyMethodThatTheDialectsLookUpIsInIt() throws Exception {
        Set<String> inMetadata = new TreeSet<>();
        metadata().values().forEach(inMetadata::addAll);
        Path folder = Path.of(System.getProperty("basedir", ""), "src/main/java/dev/weir/internal/sessions");
        Set<String> lookedUp = new TreeSet<>();
        for (String dialect : new String[] {"PostgresDialect.java", "PostgresStatus.java", "MySqlDialect.java"}) {
            Matcher calls = Pattern.compile("(?:getMethod|getter|findVirtual)\\(([^;{]*?)\\)[,;)]", Pattern.DOTALL)
                    .matcher(Files.readString(folder.resolve(dialect)));
            while (calls.find()) {
                Pattern.compile("\"(\\w+)\"")
                        .matcher(calls.group(1))
                        .results()
                        .forEach(name -> lookedUp.add(name.group(1)));
            }
        }
        assertThat(lookedUp).hasSizeGreaterThan(8).contains("getTransactionState", "getParameterStatus");
        assertThat(inMetadata).containsAll(lookedUp);
    }

    /** GraalVM for JDK 21 reads the older file alone, later ones both. */
    @Test
    void theOlderFileSaysTheSame() throws Exception {
        Path folder =
                Path.of(System.getProperty("basedir", ""), "src/main/resources/META-INF/native-image/dev.weir/weir");
        String newer = Files.readString(folder.resolve("reachability-metadata.json"));
        String begin = "  \"reflection\": ";
        assertThat(newer).startsWith("{\n" + begin + "[\n").endsWith("\n  ]\n}\n"); // reflection, and nothing else
        String older = newer.lines()
                        .skip(1)
                        .filter(line -> !line.equals("}"))
                        .map(line -> line.startsWith(begin) ? line.substring(begin.length()) : line.substring(2))
                        .map(line -> line.replace("\"type\":", "\"name\":"))
                        .collect(Collectors.joining("\n"))
                + "\n";
        Path file = folder.resolve("reflect-config.json");
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.writeString(file, older);
        }
        assertThat(file)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(older);
    }

    private static Map<String, Set<String>> metadata() throws Exception {
        Map<String, Set<String>> methods = new TreeMap<>();
        Matcher names = NAMES.matcher(text());
        Set<String> ofType = new TreeSet<>();
        while (names.find()) {
            if (names.group(1).equals("type")) {
                ofType = methods.computeIfAbsent(names.group(2), type -> new TreeSet<>());
            } else {
                ofType.add(names.group(2));
            }
        }
        return methods;
    }

    private static String text() throws Exception {
        String path = "/META-INF/native-image/dev.weir/weir/reachability-metadata.json";
        try (InputStream in = Objects.requireNonNull(WeirDataSource.class.getResourceAsStream(path), path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
