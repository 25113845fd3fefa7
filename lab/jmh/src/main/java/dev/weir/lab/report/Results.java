package dev.weir.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Where the files of one run go: {@code lab/results/<date>} of the project, or of the current folder outside of it. */
public final class Results {
    private Results() {}

    public static Path newFolder(String what) throws IOException {
        Path project = Path.of(System.getProperty("weir.home", ""));
        String moment =
                DateTimeFormatter.ofPattern("yyyy-MM-dd/HHmmss").format(LocalDateTime.now(ZoneId.systemDefault()));
        return Files.createDirectories(
                project.resolve("lab/results").resolve(moment + "-" + what).toAbsolutePath());
    }
}
