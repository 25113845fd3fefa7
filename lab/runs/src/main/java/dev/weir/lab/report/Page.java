package dev.weir.lab.report;

import java.util.List;

/** A page that is written in order, as Markdown and as HTML at once. For one thread. */
final class Page {
    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>%s</title><style>
            :root { color-scheme: light dark }
            body { font: 15px/1.5 sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem }
            .table { overflow-x: auto } table { border-collapse: collapse; margin: .7rem 0 }
            th, td { text-align: right; padding: .15rem .7rem; border-bottom: 1px solid #8886; vertical-align: top }
            th:first-child, td:first-child { text-align: left } .ours { font-weight: bold }
            img { max-width: 100%%; background: #fff; margin: .3rem } figure { display: inline-block; margin: 0 }
            pre { white-space: pre-wrap; background: #8882; padding: .5rem }
            </style></head><body>
            """;

    private final StringBuilder markdown = new StringBuilder();
    private final StringBuilder html;

    Page(String title) {
        html = new StringBuilder(HEAD.formatted(escaped(title)));
        heading(1, title);
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    Page heading(int level, String text) {
        markdown.append("#".repeat(level)).append(' ').append(text).append("\n\n");
        html.append("<h%1$d>%2$s</h%1$d>\n".formatted(level, escaped(text)));
        return this;
    }

    Page text(String text) {
        if (!text.isEmpty()) {
            markdown.append(text).append("\n\n");
            html.append("<p>").append(escaped(text)).append("</p>\n");
        }
        return this;
    }

    Page command(String text) {
        markdown.append("    ").append(text).append("\n\n");
        html.append("<pre>").append(escaped(text)).append("</pre>\n");
        return this;
    }

    Page table(Table table) {
        if (!table.isEmpty()) {
            markdown.append(table).append('\n');
            html.append(table.html());
        }
        return this;
    }

    /** Pictures that stand beside one another where the page is wide enough. */
    Page pictures(List<Picture> pictures) {
        for (Picture picture : pictures) {
            String file = Report.PICTURES + "/" + picture.name() + ".png";
            markdown.append("![%s](%s)\n".formatted(picture.caption(), file));
            html.append("<figure><a href=\"%s/%s.svg\"><img src=\"%s\" alt=\"%s\" width=\"%d\"></a></figure>\n"
                    .formatted(
                            Report.PICTURES,
                            picture.name(),
                            file,
                            escaped(picture.caption()),
                            picture.chart().getWidth()));
        }
        markdown.append(pictures.isEmpty() ? "" : "\n");
        return this;
    }

    String markdown() {
        return markdown.toString().strip() + "\n";
    }

    String html() {
        return html + "</body></html>\n";
    }
}
