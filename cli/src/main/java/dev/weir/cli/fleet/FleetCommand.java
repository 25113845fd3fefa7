package dev.weir.cli.fleet;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Target;
import dev.weir.cli.shared.Terminal;
import dev.weir.cli.shared.Time;
import dev.weir.cli.shared.UsersDatabase;
import dev.weir.cli.shared.Version;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir fleet}. */
@Command(
        name = "fleet",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Shows who has how many connections of a fleet's budget, and who wants how many, from the fleet's tables",
            "alone: again and again on a terminal, else once. It reads, over one connection that is not of the fleet."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir fleet --url jdbc:postgresql://localhost/shop --user shop --password",
            "  ./weir fleet --url jdbc:postgresql://localhost/shop --user shop --fleet shop --once",
            "  WEIR_CLASSPATH=mariadb-java-client.jar ./weir fleet --url jdbc:mariadb://localhost/shop --user shop"
        })
public final class FleetCommand implements Callable<Integer> {
    private static final String TO_THE_TOP = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";
    private static final String NO_TABLE = "42[PS].*"; // 42P01, 42S02

    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final UsersDatabase database = new UsersDatabase();

    @Option(names = "--fleet", paramLabel = "NAME", description = "This fleet alone, and not all of the database.")
    private @Nullable String name;

    @Option(names = "--once", description = "Show it once, on a terminal too.")
    private boolean once;

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            converter = Time.class,
            description = "How often it is shown anew, such as 500ms or 5s (default: 1s on a terminal; elsewhere it is"
                    + " shown once).")
    private @Nullable Duration interval;

    public FleetCommand(Supplier<Stop> stop) {
        this.stop = stop;
    }

    @Override
    public Integer call() {
        if (interval != null) {
            Time.checkInterval(spec, interval);
        }
        if (interval != null && once) {
            throw new ParameterException(spec.commandLine(), "--once and --interval: one of them");
        }
        Terminal.quiet();
        Target target = database.target();
        String missing = target.missingDriver();
        if (missing != null) {
            spec.commandLine().getErr().println(missing);
            return 1;
        }
        boolean live = !once && (interval != null || Terminal.isOutput());
        return live ? watch(target, interval == null ? Duration.ofSeconds(1) : interval) : show(target);
    }

    private int show(Target target) {
        try (Connection connection = target.connect()) {
            List<Fleets.Fleet> fleets = Fleets.read(connection, name);
            lines(fleets, target).forEach(spec.commandLine().getOut()::println);
            spec.commandLine().getOut().flush();
            return name != null && fleets.isEmpty() ? 1 : 0;
        } catch (SQLException e) {
            spec.commandLine().getErr().println(failure(target, e));
            return 1;
        }
    }

    /** Goes on when the database is away: that is when one looks. */
    private int watch(Target target, Duration pause) {
        PrintWriter out = spec.commandLine().getOut();
        Stop stopping = stop.get();
        @Nullable Connection connection = null;
        do {
            List<String> lines;
            try {
                connection = connection == null ? target.connect() : connection;
                lines = lines(Fleets.read(connection, name), target);
            } catch (SQLException e) {
                close(connection);
                connection = null;
                lines = List.of(failure(target, e));
            }
            print(lines, out);
        } while (!stopping.await(pause));
        close(connection);
        return stopping.exitCode();
    }

    /** Over what is there on a terminal, else below it. */
    private static void print(List<String> lines, PrintWriter out) {
        if (Terminal.isOutput()) {
            out.print(TO_THE_TOP);
            lines.forEach(line -> out.println(line + CLEAR_LINE));
            out.print(CLEAR_BELOW);
        } else {
            lines.forEach(out::println);
            out.println();
        }
        out.flush();
    }

    private List<String> lines(List<Fleets.Fleet> fleets, Target target) {
        if (fleets.isEmpty()) {
            return List.of(target + " has no fleet" + (name == null ? "" : " " + name) + ".");
        }
        List<String> lines = new ArrayList<>();
        for (Fleets.Fleet fleet : fleets) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            lines.addAll(Table.of(fleet));
        }
        return lines;
    }

    private static String failure(Target target, SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        String who = target + (target.user() == null ? "" : " as " + target.user());
        return state.matches(NO_TABLE)
                ? who
                        + ": no fleet has its tables here, weir_fleet and weir_fleet_member; they are in the schema of its"
                        + " members, which make them at their first start if they may."
                : who + ": " + target.explain(failure);
    }

    private static void close(@Nullable Connection connection) {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (SQLException e) {
            System.getLogger(FleetCommand.class.getName()).log(System.Logger.Level.DEBUG, "close", e);
        }
    }
}
