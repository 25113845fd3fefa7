package dev.weir.lab.report;

import dev.weir.lab.runs.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** One run as a Markdown page: what the report says of it and its tables, without the pictures, and the run's data beside it. */
final class Markdown {
    private Markdown() {}

    /**
     * Writes the page, and copies the run's description and numbers into a folder of the page's name; those of an
     * earlier call are replaced.
     *
     * @return the page's file
     */
    static Path write(Path folder, Run run, Section section) throws IOException {
        String name = section.isOnly() ? run.info().workload() : section.id();
        Path data = Files.createDirectories(folder.resolve(name));
        try (Stream<Path> files = Files.list(run.folder().path())) {
            for (Path file : files.filter(Markdown::isData).toList()) {
                Files.copy(file, data.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        String kept = Archive.of(run.folder().path()).write(data);
        return Files.writeString(folder.resolve(name + ".md"), page(name, kept, run, section));
    }

    /** By this line the pages of one publication are of one machine. */
    private static String machine(Run run) {
        Map<String, Object> facts = run.info().machine();
        return "Machine: %s, %s cores of %s, hypervisor: %s, %s, JDK %s."
                .formatted(
                        facts.getOrDefault("id", "unknown"),
                        facts.getOrDefault("cores", "unknown"),
                        facts.getOrDefault("processor", "unknown"),
                        facts.getOrDefault("hypervisor", "unknown"),
                        facts.getOrDefault("os", "unknown"),
                        facts.getOrDefault("jdk", "unknown"));
    }

    /** Writes a page of one table. */
    static Path write(Path folder, String name, Section.Table table) throws IOException {
        return Files.writeString(
                folder.resolve(name + ".md"),
                "# %s\n\nAfter this page you know which aims the runs beside it reached.\n\n%s\n"
                        .formatted(table.caption(), markdown(table).strip()));
    }

    /** What the tables are made of stands beside them as it is; the rest of the folder is in the archive. */
    private static boolean isData(Path file) {
        return file.toString().endsWith(".json") || file.toString().endsWith(".csv");
    }

    private static String page(String name, String data, Run run, Section section) {
        StringBuilder page = new StringBuilder("""
                # %s

                After this page you know what this run of `%s` measured, on which machine, and how to repeat it. Its data is in [%s](%s): %s

                    %s

                %s

                """.formatted(
                        text(section.title()),
                        run.info().workload(),
                        name,
                        name,
                        data,
                        run.info().command(),
                        machine(run)));
        for (Section.Block block : section.blocks()) {
            paragraph(page, block.heading().isEmpty() ? "" : "## " + text(block.heading()));
            paragraph(page, text(block.text()));
            block.figures()
                    .forEach(figure ->
                            page.append("- ").append(text(figure.caption())).append('\n'));
            paragraph(page, block.figures().isEmpty() ? "" : "\n");
            for (Section.Table table : block.tables()) {
                paragraph(page, text(table.caption()));
                paragraph(page, markdown(table));
            }
        }
        return page.toString().strip() + '\n';
    }

    private static void paragraph(StringBuilder page, String text) {
        if (!text.isEmpty()) {
            page.append(text.strip()).append(text.isBlank() ? "\n" : "\n\n");
        }
    }

    private static String markdown(Section.Table table) {
        Table out = new Table(cells(table.header()).toArray(String[]::new));
        table.rows().forEach(row -> out.row(cells(row.cells())));
        return out.toString();
    }

    private static List<String> cells(List<String> cells) {
        return cells.stream().map(cell -> text(cell).replace("|", "\\|")).toList();
    }

    /** Text that is shown as it is, on one line. */
    private static String text(String text) {
        return text.replaceAll("\\s*\\R\\s*", " ")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replaceAll("([*_`\\[\\]])", "\\\\$1");
    }
}
