package dev.weir.cli.shared;

import dev.weir.PoolConfig;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** A time as the settings of the pool have it: {@code 90s}, {@code 5m}, {@code 2h}, or a number of milliseconds. */
public final class Time implements ITypeConverter<Duration> {
    /** For picocli, which makes one where an option asks for it. */
    public Time() {}

    @Override
    public Duration convert(String value) {
        // A setting that takes any time but a negative one reads it.
        PoolConfig.Builder reader = PoolConfig.builder().url("jdbc:any:").property("closeTimeout", value);
        if (!reader.faults().isEmpty()) {
            throw new TypeConversionException(value + " (expected: a time, such as 500ms, 90s, 5m or 2h)");
        }
        return reader.build().closeTimeout();
    }

    /** Refuses the value of {@code --interval} if it is no pause between two looks. */
    public static void checkInterval(CommandSpec command, Duration interval) {
        if (interval.toMillis() < 100 || interval.toHours() >= 1) {
            throw new ParameterException(
                    command.commandLine(), "--interval: " + interval.toMillis() + " ms (expected: 100ms..1h)");
        }
    }
}
