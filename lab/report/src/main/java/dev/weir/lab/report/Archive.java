package dev.weir.lab.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The whole folder of a run, samples and logs included, as one compressed file; or, where that is too large to be kept beside a
 * page, the digest of each of its files, so that whoever has the folder can show that it is the one. The same folder gives the same
 * bytes.
 */
final class Archive {
    /** What a repository can bear for each run. */
    static final int MOST_BYTES = 400_000;

    static final String NAME = "run.zip";
    static final String DIGESTS = "run.sha256";

    /** Of every entry, so that the same folder gives the same bytes. */
    private static final LocalDateTime MOMENT = LocalDateTime.of(2000, 1, 1, 0, 0);

    private final Path run;
    private final List<Path> files;

    private Archive(Path run, List<Path> files) {
        this.run = run;
        this.files = files;
    }

    static Archive of(Path run) throws IOException {
        try (Stream<Path> all = Files.walk(run)) {
            return new Archive(
                    run,
                    all.filter(Files::isRegularFile)
                            .filter(file -> !file.endsWith("run.lock"))
                            .sorted()
                            .toList());
        }
    }

    /**
     * Writes one of both into a folder; what an earlier call wrote there is replaced.
     *
     * @return a sentence that says what is there
     */
    String write(Path folder) throws IOException {
        Path archive = folder.resolve(NAME);
        Path digests = folder.resolve(DIGESTS);
        Files.deleteIfExists(archive);
        Files.deleteIfExists(digests);
        byte[] bytes = zip();
        if (bytes.length <= MOST_BYTES) {
            Files.write(archive, bytes);
            return "the numbers, and in `%s` the whole folder with samples and logs.".formatted(NAME);
        }
        Files.writeString(digests, digests());
        return "the numbers, and in `%s` the SHA-256 of each file of the folder, whose samples and logs are too large for here (%,d bytes compressed). The command below makes such a folder."
                .formatted(DIGESTS, bytes.length);
    }

    private byte[] zip() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.setLevel(9);
            for (Path file : files) {
                ZipEntry entry = new ZipEntry(name(file));
                entry.setTimeLocal(MOMENT);
                zip.putNextEntry(entry);
                zip.write(bytes(file));
                zip.closeEntry();
            }
        }
        return bytes.toByteArray();
    }

    /** In what a process printed, without the path of the user's home. */
    private static byte[] bytes(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (!file.toString().endsWith(".log")) {
            return bytes;
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        return text.replace(System.getProperty("user.home") + '/', "~/").getBytes(StandardCharsets.UTF_8);
    }

    /** As {@code sha256sum --check} reads them. */
    private String digests() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (Path file : files) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
                lines.append(HexFormat.of().formatHex(digest))
                        .append("  ")
                        .append(name(file))
                        .append('\n');
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e); // each JDK has it
            }
        }
        return lines.toString();
    }

    private String name(Path file) {
        return run.relativize(file).toString().replace('\\', '/');
    }
}
