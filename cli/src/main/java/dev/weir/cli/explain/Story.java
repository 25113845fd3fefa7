package dev.weir.cli.explain;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What happened in one pool over some time. All times are nanoseconds; {@code at} counts from the beginning of that time, and is
 * negative for what began before.
 *
 * @param lengthNanos how long that time is
 */
record Story(
        String pool,
        long lengthNanos,
        List<Count> counts,
        List<Loan> loans,
        List<Wait> waits,
        List<Mark> marks,
        List<Measured> measured,
        Jvm jvm) {

    /** A look at the pool. */
    record Count(long at, int inUse, int idle, int waiting, int opening, int maximum) {}

    /** A loan; {@code ended} is false if it was out at the last look, and its times are then not known by share. */
    record Loan(
            long at,
            long nanos,
            long connection,
            long session,
            long waitedNanos,
            Shares shares,
            boolean ended,
            @Nullable String thread,
            @Nullable String sql,
            Place place) {
        long end() {
            return at + nanos;
        }

        /** As {@code #7 (session 4711)}, where the database's id of the session is known. */
        String connectionInWords() {
            return "#" + connection + (session == 0 ? "" : " (session " + session + ")");
        }

        Loan until(long end) {
            return new Loan(at, end - at, connection, session, waitedNanos, shares, ended, thread, sql, place);
        }
    }

    /** The time of loans by what the holder did. */
    record Shares(long beforeFirstStatement, long inDriver, long betweenTransactions, long idleInTransaction) {
        static final Shares NONE = new Shares(0, 0, 0, 0);

        long total() {
            return beforeFirstStatement + inDriver + betweenTransactions + idleInTransaction;
        }

        Shares plus(Shares more) {
            return new Shares(
                    beforeFirstStatement + more.beforeFirstStatement,
                    inDriver + more.inDriver,
                    betweenTransactions + more.betweenTransactions,
                    idleInTransaction + more.idleInTransaction);
        }
    }

    /**
     * A thread that waited, until {@code at}; {@code refused} is what it was told if it got no connection, and {@code holds}, whether
     * it had another connection of this pool.
     */
    record Wait(
            long at,
            long nanos,
            String thread,
            Place place,
            @Nullable String refused,
            boolean holds) {
        Wait holding(boolean another) {
            return new Wait(at, nanos, thread, place, refused, another);
        }
    }

    /** All loans of some seconds, those too short for an event of their own among them. */
    record Measured(long at, long loans, Shares shares) {}

    /** One thing that happened. */
    record Mark(long at, Kind kind, long connection, long tookNanos, String text) {}

    enum Kind {
        OPENED,
        OPEN_FAILED,
        RETIRED,
        LEAKED,
        PINNED;

        String inWords() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    /**
     * Frames of code without those of the pool, the JDK and frameworks.
     *
     * @param frames the methods, the outermost first; of frameworks, if there is no other
     * @param users the frames of the user, the innermost first
     */
    record Place(List<String> frames, List<StackTraceElement> users) {
        static final Place UNKNOWN = new Place(List.of(), List.of());

        /** As {@code OrderView.render}. */
        String inWords() {
            return frames.isEmpty() ? "an unknown place" : frames.get(frames.size() - 1);
        }
    }

    /** What the JVM and its machine did meanwhile. */
    record Jvm(List<Pause> pauses, List<Load> loads, List<Read> slowReads) {
        static final Jvm SILENT = new Jvm(List.of(), List.of(), List.of());
    }

    record Pause(long at, long nanos, String what) {}

    /** Shares of all processors, 0 to 1. */
    record Load(long at, double jvm, double machine) {}

    /** A read from a socket that took long. */
    record Read(long at, long nanos, String thread, String address) {}

    int maximum() {
        return counts.stream().mapToInt(Count::maximum).max().orElse(0);
    }

    int mostInUse() {
        return counts.stream().mapToInt(Count::inUse).max().orElse(0);
    }

    List<Mark> marks(Kind kind) {
        return marks.stream().filter(mark -> mark.kind() == kind).toList();
    }

    List<Wait> refused() {
        return waits.stream().filter(wait -> wait.refused() != null).toList();
    }

    /** The slow reads of threads that held a connection meanwhile: from the database, or from what it was kept waiting for. */
    List<Read> slowReads() {
        Map<String, List<Loan>> byThread = loans.stream()
                .filter(loan -> loan.thread() != null)
                .collect(Collectors.groupingBy(loan -> String.valueOf(loan.thread())));
        return jvm.slowReads().stream()
                .filter(read -> byThread.getOrDefault(read.thread(), List.of()).stream()
                        .anyMatch(loan -> loan.at() < read.at() + read.nanos() && loan.end() > read.at()))
                .toList();
    }

    /** Those that were out at the last look. */
    List<Loan> held() {
        return loans.stream().filter(loan -> !loan.ended()).toList();
    }

    /** How many connections were in use on average, between these times. */
    double meanInUse(long from, long to) {
        double area = 0;
        for (int i = lastBefore(from); i < counts.size() && counts.get(i).at() < to; i++) {
            long begin = Math.max(from, counts.get(i).at());
            long end = Math.min(to, i + 1 < counts.size() ? counts.get(i + 1).at() : lengthNanos);
            area += end > begin ? (double) counts.get(i).inUse() * (end - begin) : 0;
        }
        return area / Math.max(1, to - from);
    }

    /** The index of the last count up to a time; 0 if there is none. */
    private int lastBefore(long time) {
        int low = 0;
        int high = counts.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (counts.get(middle).at() <= time) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
