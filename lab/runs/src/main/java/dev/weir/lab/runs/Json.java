package dev.weir.lab.runs;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Records and maps as JSON files. Thread-safe. */
public final class Json {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private Json() {}

    /**
     * Writes a file whole or not at all.
     *
     * @throws IOException if it cannot be written
     */
    public static void write(Path file, Object value) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.write(fresh, MAPPER.writeValueAsBytes(value));
        Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws IOException if the file is missing, or holds something else
     */
    public static <T> T read(Path file, Class<T> type) throws IOException {
        return MAPPER.readValue(Files.readAllBytes(file), type);
    }
}
