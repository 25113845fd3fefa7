package dev.weir.cli.shared;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What is said of a command line that cannot be understood: one line, with the name that was probably meant, and not the whole usage. */
public final class Mistakes {
    private Mistakes() {}

    /** Makes this command line, and all commands in it so far, answer in one line. */
    public static CommandLine inOneLine(CommandLine line) {
        return line.setParameterExceptionHandler((failure, args) -> {
            CommandLine command = failure.getCommandLine();
            command.getErr().println(of(failure));
            command.getErr().flush();
            return ExitCode.USAGE;
        });
    }

    static String of(ParameterException failure) {
        CommandSpec spec = failure.getCommandLine().getCommandSpec();
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof UnmatchedArgumentException unmatched) {
            String given = unmatched.getUnmatched().get(0);
            String name = given.replaceFirst("=.*", "");
            boolean isOption = given.startsWith("-");
            message = name + ": no such " + (isOption || spec.subcommands().isEmpty() ? "option" : "command")
                    + meant(name, isOption ? options(spec) : commands(spec));
            if (!isOption && spec.subcommands().isEmpty()) {
                message = name + ": not expected here";
            }
        }
        return "weir: " + message.strip().replaceAll("\\s*\\R\\s*", "; ") + " (all options: ./" + spec.qualifiedName()
                + " --help)";
    }

    /** Each by its own name, not by an alias. */
    private static List<String> commands(CommandSpec spec) {
        return spec.subcommands().values().stream()
                .map(command -> command.getCommandSpec().name())
                .distinct()
                .toList();
    }

    private static List<String> options(CommandSpec spec) {
        return spec.options().stream()
                .filter(option -> !option.hidden())
                .map(OptionSpec::longestName)
                .filter(name -> name.startsWith("--"))
                .toList();
    }

    private static String meant(String given, List<String> names) {
        Optional<String> nearest = names.stream()
                .filter(name -> distance(given, name) <= Math.max(2, name.length() / 3))
                .min(Comparator.comparingInt(name -> distance(given, name)));
        return nearest.map(name -> ", did you mean " + name + "?")
                .orElseGet(() -> names.size() > 12 ? "" : ", expected: " + String.join(", ", names));
    }

    /** Letters to insert, delete, exchange or swap with the next one. */
    static int distance(String left, String right) {
        String a = left.toLowerCase(Locale.ROOT);
        String b = right.toLowerCase(Locale.ROOT);
        int[][] table = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    table[i][j] = i + j;
                    continue;
                }
                int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
                table[i][j] = Math.min(table[i - 1][j - 1] + change, 1 + Math.min(table[i - 1][j], table[i][j - 1]));
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    table[i][j] = Math.min(table[i][j], table[i - 2][j - 2] + 1);
                }
            }
        }
        return table[a.length()][b.length()];
    }
}
