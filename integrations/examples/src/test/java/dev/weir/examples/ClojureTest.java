package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import clojure.java.api.Clojure;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ClojureTest {

    @Test
    void settersAndLoansAreCalledAsAnyJava() throws Exception {
        Path snippet =
                Path.of(ClojureTest.class.getResource("/snippets/clojure.clj").toURI());
        Object answer = Clojure.var("clojure.core", "load-string").invoke(Files.readString(snippet));
        assertThat(answer).isEqualTo(42L);
    }
}
