package dev.weir.console.window;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.List;

/**
 * All pools of a JVM at one look.
 *
 * @param well whether no pool has a trouble
 */
public record JvmView(String jvm, boolean well, List<PoolView> pools) {
    /** Names of threads and texts of failures may hold what a terminal obeys. */
    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    /** Returns it as JSON in one line. */
    public String json() {
        try {
            return MAPPER.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
