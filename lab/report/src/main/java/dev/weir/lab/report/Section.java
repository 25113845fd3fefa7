package dev.weir.lab.report;

import com.samskivert.mustache.Escapers;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** A part of the report: what it says, in order. Not thread-safe. */
final class Section {
    private final String id;
    private final String title;
    private final boolean only;
    private final List<Block> blocks = new ArrayList<>();

    /**
     * Makes an empty one.
     *
     * @param only whether it is of the only run of its workload; else its pictures need a folder of their own
     */
    Section(String id, String title, boolean only) {
        this.id = Picture.fileName(id);
        this.title = title;
        this.only = only;
    }

    boolean isOnly() {
        return only;
    }

    String id() {
        return id;
    }

    String title() {
        return title;
    }

    List<Block> blocks() {
        return List.copyOf(blocks);
    }

    List<Picture> pictures() {
        return blocks.stream()
                .flatMap(block -> block.figures().stream())
                .map(Figure::picture)
                .toList();
    }

    Section heading(String text) {
        blocks.add(new Block(text, "", List.of(), List.of()));
        return this;
    }

    Section text(String text) {
        blocks.add(new Block("", text, List.of(), List.of()));
        return this;
    }

    /** Pictures that stand beside one another where the page is wide enough. */
    Section figures(List<Figure> figures) {
        if (!figures.isEmpty()) {
            blocks.add(new Block("", "", List.copyOf(figures), List.of()));
        }
        return this;
    }

    Section figure(Picture picture, String caption, String command) {
        return figures(List.of(new Figure(picture, caption, command)));
    }

    Section table(Table table) {
        if (!table.rows().isEmpty()) {
            blocks.add(new Block("", "", List.of(), List.of(table)));
        }
        return this;
    }

    /** One of: a heading, a paragraph, pictures, a table; the others are empty. */
    record Block(String heading, String text, List<Figure> figures, List<Table> tables) {
        boolean hasFigures() {
            return !figures.isEmpty();
        }
    }

    /**
     * A picture with the sentence that says what to see.
     *
     * @param command the command line that repeats it
     */
    record Figure(Picture picture, String caption, String command) {
        String svg() {
            return picture.inlineSvg(caption);
        }

        String commandHtml() {
            return Wrap.html(command);
        }

        String name() {
            return picture.name();
        }
    }

    /**
     * A table.
     *
     * @param caption the sentence that says what to see, may be empty
     */
    record Table(String caption, List<String> header, List<Row> rows) {
        Table {
            for (Row row : rows) {
                if (row.cells().size() != header.size()) {
                    throw new IllegalArgumentException(
                            row.cells().size() + " cells (expected: " + header.size() + "): " + row);
                }
            }
        }

        List<Cell> heads() {
            return marked(header);
        }

        /** The rows as the page shows them. */
        List<MarkedRow> lines() {
            return rows.stream()
                    .map(row -> new MarkedRow(row.kind(), marked(row.cells())))
                    .toList();
        }

        private List<Cell> marked(List<String> cells) {
            return IntStream.range(0, cells.size())
                    .mapToObj(i -> Cell.of(cells.get(i), hasWords(i), hasMarks(i)))
                    .toList();
        }

        private boolean hasMarks(int column) {
            return rows.stream().anyMatch(row -> Cell.isMark(row.cells().get(column)));
        }

        private boolean hasWords(int column) {
            return rows.stream().anyMatch(row -> !Cell.isNumber(row.cells().get(column)));
        }
    }

    /**
     * A cell as the page shows it.
     *
     * @param look empty for a number, else {@code words}, {@code kept}, {@code broken} or {@code mark} for none of both
     */
    record Cell(String text, String look) {
        private static final Set<String> MARKS = Set.of("\u2713", "\u2717");

        private static final Pattern NUMBER =
                Pattern.compile("[-\u2713\u2717]|[-+]?[0-9][0-9,.]*(e[-+]?[0-9]+)?( ?[%\u00b5a-z ]+)?( \\(.*\\))?");

        static boolean isNumber(String text) {
            return NUMBER.matcher(text).matches();
        }

        static boolean isMark(String text) {
            return MARKS.contains(text);
        }

        /** A column that has words in it stands on the left, one of marks in the middle. */
        static Cell of(String text, boolean words, boolean marks) {
            return switch (text) {
                case "\u2713" -> new Cell(text, "kept");
                case "\u2717" -> new Cell(text, "broken");
                default -> new Cell(text, words ? "words" : marks ? "mark" : "");
            };
        }

        String html() {
            return look.equals("words") ? Wrap.html(text) : Escapers.HTML.escape(text);
        }
    }

    /** A row as the page shows it. */
    record MarkedRow(String kind, List<Cell> marked) {}

    /**
     * A row of a table.
     *
     * @param kind how it is marked: empty, {@code ours}, {@code good}, {@code bad} or {@code foreign}
     */
    record Row(String kind, List<String> cells) {

        static Row of(String kind, String... cells) {
            return new Row(kind, List.of(cells));
        }

        static Row ofPool(String pool, List<String> cells) {
            return new Row(Palette.base(pool).equals(Run.OURS) ? "ours" : "", cells);
        }
    }
}
