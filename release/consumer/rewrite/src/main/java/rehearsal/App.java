package rehearsal;

import org.openrewrite.Recipe;
import org.openrewrite.config.Environment;

/** The recipes are found by their names, and each is complete. */
public final class App {
    public static void main(String[] args) {
        Recipe recipe = Environment.builder()
                .scanRuntimeClasspath("dev.weir.rewrite")
                .build()
                .activateRecipes("dev.weir.rewrite.FromHikariCP");
        boolean valid = recipe.validateAll().stream().allMatch(one -> one.isValid());
        if (!valid || recipe.getRecipeList().isEmpty()) {
            throw new AssertionError(recipe.validateAll());
        }
    }
}
