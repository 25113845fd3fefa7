package dev.weir.lab.load;

import dev.weir.lab.runs.ChildMain;
import dev.weir.lab.runs.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code java ... LoadMain SPEC RESULT}: reads a {@link LoadSpec} and writes its {@link LoadResult}s, both as JSON files. It ends
 * with who started it.
 */
public final class LoadMain {
    /** The line that says that the load counts from now on. */
    public static final String COUNTING = "counting";

    private LoadMain() {}

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            System.err.println("Usage: LoadMain SPEC RESULT");
            System.exit(2);
        }
        ChildMain.endWithParent();
        LoadSpec spec = Json.read(Path.of(arguments[0]), LoadSpec.class);
        List<LoadResult> results = new Generator(spec, () -> System.out.println(COUNTING)).run();
        Json.write(Path.of(arguments[1]), results);
        // Hyperfoil's threads would keep the JVM for a while.
        ChildMain.end(0);
    }
}
