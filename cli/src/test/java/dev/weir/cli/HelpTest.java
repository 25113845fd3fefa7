package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.cli.shared.Stop;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** What {@code --help} and {@code --version} say, of weir and of each command. */
class HelpTest {
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    private final CommandLine weir = Main.commandLine(Stop::new);

    @Test
    void everyCommandHasExamplesThatItUnderstands() {
        Collection<CommandLine> commands = weir.getSubcommands().values();
        assertThat(commands).hasSize(9);
        for (CommandLine command : commands) {
            String name = command.getCommandName();
            List<String> examples = examples(command);
            assertThat(examples).as(name).hasSizeGreaterThan(1);
            for (String example : examples) {
                ParseResult parsed = weir.parseArgs(words(example));
                assertThat(parsed.subcommand().commandSpec().name()).as(example).isEqualTo(name);
            }
        }
        examples(weir).forEach(example -> weir.parseArgs(words(example)));
    }

    /** Picocli takes each line as a format. One that is none stays as it is, behind a warning on the terminal. */
    @Test
    void everyLineOfAHelpIsAFormat() {
        for (CommandLine command : weir.getSubcommands().values()) {
            CommandSpec spec = command.getCommandSpec();
            Stream.of(
                            Stream.of(spec.usageMessage().description()),
                            spec.args().stream().flatMap(argument -> Stream.of(argument.description())),
                            Stream.of(spec.usageMessage().footer()))
                    .flatMap(lines -> lines)
                    .forEach(line ->
                            assertThatCode(() -> line.formatted()).as(line).doesNotThrowAnyException());
        }
    }

    /** The command lines in the footer of a command's help, each as one line. */
    private static List<String> examples(CommandLine command) {
        String footer =
                String.join("\n", command.getCommandSpec().usageMessage().footer());
        return footer.replaceAll("\\\\\n\\s*", "")
                .lines()
                .peek(line -> assertThat(line).matches("  (\\w+=\\S+ |source <\\()?\\./weir .*"))
                .toList();
    }

    /** The words after {@code ./weir}, as a shell splits them; a password that would be asked for is given. */
    private static String[] words(String example) {
        Matcher word = WORD.matcher(example.replaceFirst(".*\\./weir ", "")
                .replaceFirst(" > .*", "")
                .replace(")", ""));
        return word.results()
                .map(one -> one.group(1) != null ? one.group(1) : one.group(2))
                .map(one -> one.equals("--password") ? "--password=hush-hush" : one)
                .toArray(String[]::new);
    }

    @Test
    void versionIsThatOfTheBuildInEveryCommand() {
        for (String[] arguments : List.of(
                new String[] {"--version"},
                new String[] {"demo", "--version"},
                new String[] {"tune", "--version"},
                new String[] {"migrate", "--version"},
                new String[] {"fleet", "--version"},
                new String[] {"top", "--version"},
                new String[] {"console", "--version"},
                new String[] {"explain", "--version"},
                new String[] {"record", "--version"})) {
            StringWriter out = new StringWriter();
            assertThat(weir.setOut(new PrintWriter(out)).execute(arguments)).isZero();
            assertThat(out.toString().lines().findFirst())
                    .as(Stream.of(arguments).toList().toString())
                    .hasValueSatisfying(line -> assertThat(line).matches("weir \\d+\\.\\d+\\.\\d+\\S*"));
        }
    }

    @Test
    void typingErrorIsOneLineWithTheNameThatWasMeant() {
        assertThat(mistake("tun"))
                .isEqualTo("weir: tun: no such command, did you mean tune? (all options: ./weir --help)");
        assertThat(mistake("mirgate"))
                .isEqualTo("weir: mirgate: no such command, did you mean migrate? (all options: ./weir --help)");
        assertThat(mistake("demo", "--thraeds=3"))
                .isEqualTo(
                        "weir: --thraeds: no such option, did you mean --threads? (all options: ./weir demo --help)");
        assertThat(mistake("demo", "--threads", "many")).matches("weir: .*--threads.*many.*\\./weir demo --help\\)");
        assertThat(mistake("tune", "--sql", "select 1")).contains("--url").doesNotContain("Usage");
        assertThat(mistake("migrate", "a", "b"))
                .isEqualTo("weir: b: not expected here (all options: ./weir migrate --help)");
        assertThat(mistake()).contains("Which command?");
    }

    private String mistake(String... arguments) {
        StringWriter err = new StringWriter();
        assertThat(weir.setErr(new PrintWriter(err)).execute(arguments)).isEqualTo(2);
        assertThat(err.toString().lines()).hasSize(1);
        return err.toString().strip();
    }

    @Test
    void completionKnowsEveryCommandAndItsOptions() {
        StringWriter out = new StringWriter();
        assertThat(weir.setOut(new PrintWriter(out)).execute("completion")).isZero();
        assertThat(out.toString()).contains("_complete_weir", "--compare", "--in-place", "--html", "--interval");
    }
}
