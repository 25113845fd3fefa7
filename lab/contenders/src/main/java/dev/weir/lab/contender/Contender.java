package dev.weir.lab.contender;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection pool: how it is opened, how its counts are read, and what it cannot be told to do. Immutable. */
public interface Contender {

    /** Returns the name in options, tables and files. */
    String name();

    /** Returns the class that its users make; null for what is no library. */
    @Nullable
    Class<?> type();

    /** Returns its version as its own jar tells it; {@code -} for what is no library. */
    default String version() {
        Class<?> type = type();
        return type == null ? "-" : Jars.versionOf(type);
    }

    /** Returns the jar or the folder of classes where it is; null for what is no library or came from no file. */
    default @Nullable Path library() {
        Class<?> type = type();
        return type == null ? null : Jars.of(type);
    }

    /** Returns what this pool does for each loan in a profile. */
    Terms terms(Profile profile);

    /** Returns what this pool cannot be told to do in a profile, in words; empty if nothing. */
    List<String> limits(Profile profile);

    /** Returns the names it understands in {@link PoolSpec#parameters()}. */
    default Set<String> parameters() {
        return Set.of();
    }

    /** Returns whether it can be told how long a connection lies idle and how old it becomes, both in seconds. */
    default boolean agesInSeconds() {
        return true;
    }

    /** Returns the options without which it does not run on this JDK. */
    default List<String> jvmOptions() {
        return List.of();
    }

    /**
     * Opens a pool.
     *
     * @throws Exception whatever the pool throws
     */
    PoolUnderTest open(PoolSpec spec) throws Exception;
}
