package dev.weir.lab.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;

/**
 * Makes a file of questions with the columns and the habits of the public StackLite file: ids that rise with gaps, NA for
 * what is missing, a few owners with very many questions and very many owners with few. The same number of rows is always
 * the same file; {@link #KNOWN_USER} has {@value #KNOWN_QUESTIONS} questions in it, or fewer where there are too few rows.
 */
public final class QuestionsGenerator {
    /** The user of the examples. */
    public static final int KNOWN_USER = 87;

    /** How many questions the user of the examples has. */
    public static final int KNOWN_QUESTIONS = 20;

    static final String HEADER = "Id,CreationDate,ClosedDate,DeletionDate,Score,OwnerUserId,AnswerCount";

    private static final long SEED = 20080731;
    private static final Instant FIRST = Instant.parse("2008-07-31T21:26:37Z");
    private static final long MOST_SECONDS_APART = 60;
    private static final long YEAR_SECONDS = 365L * 24 * 3600;
    private static final int ROWS_PER_OWNER = 5;
    private static final int CHUNK = 1 << 16;
    private static final int LONGEST_ROW = 120;

    private final long rows;
    private final int owners;
    private final long knownEvery;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private long written;
    private long id;
    private Instant created = FIRST;

    private QuestionsGenerator(long rows) {
        if (rows < 1 || rows > 1_000_000_000) {
            throw new IllegalArgumentException("rows: " + rows + " (expected: 1..1000000000)");
        }
        this.rows = rows;
        this.owners = (int) Math.max(2L * KNOWN_USER, rows / ROWS_PER_OWNER);
        this.knownEvery = Math.max(1, rows / KNOWN_QUESTIONS);
    }

    /**
     * Writes a file of so many rows, compressed if its name ends in {@code .gz}.
     *
     * @throws IllegalArgumentException if rows is not in 1..1,000,000,000
     * @throws IOException if the file cannot be written
     */
    public static void write(Path file, long rows) throws IOException {
        try (InputStream in = open(rows);
                OutputStream raw = Files.newOutputStream(file);
                OutputStream out = file.toString().endsWith(".gz") ? new GZIPOutputStream(raw, CHUNK) : raw) {
            in.transferTo(out);
        }
    }

    /**
     * Returns what is in a file of so many rows, made while it is read.
     *
     * @throws IllegalArgumentException if rows is not in 1..1,000,000,000
     */
    static InputStream open(long rows) {
        return new QuestionsGenerator(rows).new Text();
    }

    private byte[] nextRows() {
        StringBuilder text = new StringBuilder(CHUNK + LONGEST_ROW);
        while (written < rows && text.length() < CHUNK) {
            id += 1 + random.nextInt(3);
            created = created.plusSeconds(random.nextLong(MOST_SECONDS_APART));
            question(text, written, id, created);
            text.append('\n');
            written++;
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    private final class Text extends InputStream {
        private byte[] chunk = (HEADER + "\n").getBytes(StandardCharsets.US_ASCII);
        private int next;

        @Override
        public int read() {
            return isAtEnd() ? -1 : chunk[next++];
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            if (isAtEnd()) {
                return -1;
            }
            int count = Math.min(length, chunk.length - next);
            System.arraycopy(chunk, next, into, offset, count);
            next += count;
            return count;
        }

        private boolean isAtEnd() {
            if (next == chunk.length && written < rows) {
                chunk = nextRows();
                next = 0;
            }
            return next == chunk.length;
        }
    }

    private void question(StringBuilder row, long index, long id, Instant created) {
        boolean isClosed = random.nextInt(100) < 10;
        boolean isDeleted = random.nextInt(100) < 25;
        row.append(id).append(',').append(created).append(',');
        row.append(isClosed ? later(created) : "NA").append(',');
        row.append(isDeleted ? later(created) : "NA").append(',');
        row.append(score()).append(',');
        appendOrNa(row, owner(index)).append(',');
        appendOrNa(row, isDeleted ? -1 : random.nextInt(1 + random.nextInt(6)));
    }

    private static StringBuilder appendOrNa(StringBuilder row, int number) {
        return number < 0 ? row.append("NA") : row.append(number);
    }

    private Instant later(Instant created) {
        return created.plusSeconds(1 + random.nextLong(YEAR_SECONDS));
    }

    /** Most near 0, some below, few far above. */
    private int score() {
        double far = random.nextDouble();
        return random.nextInt(5) - 1 + (int) (far * far * far * far * far * far * 40);
    }

    /** -1 for one in twenty; of the rest the square of a uniform number, so that the first have by far the most. */
    private int owner(long index) {
        boolean isUnknown = random.nextInt(20) == 0;
        double uniform = random.nextDouble();
        if (index % knownEvery == 0 && index / knownEvery < KNOWN_QUESTIONS) {
            return KNOWN_USER;
        }
        int owner = 1 + (int) (owners * uniform * uniform);
        return isUnknown ? -1 : owner == KNOWN_USER ? owner + 1 : owner;
    }
}
