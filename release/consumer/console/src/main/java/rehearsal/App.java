package rehearsal;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.console.Console;
import java.nio.charset.StandardCharsets;
import java.util.Map;

public final class App {
    public static void main(String[] args) throws Exception {
        PoolConfig config =
                PoolConfig.builder().url("jdbc:h2:mem:shop").poolName("shop").build();
        try (WeirDataSource pool = new WeirDataSource(config)) {
            pool.start();
            Console console = Console.ofThisJvm(false);
            check(text(console.get("", Map.of())).contains("page.js"), "the page");
            check(console.get("uplot.js", Map.of()).status() == 200, "its charts");
            check(text(console.get("look", Map.of())).contains("\"" + pool.getPoolName() + "\""), "a look");
        }
    }

    private static String text(Console.Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
