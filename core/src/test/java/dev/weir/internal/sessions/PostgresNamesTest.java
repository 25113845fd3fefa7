package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PostgresShared;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The lists agree with the catalog of a real server. */
class PostgresNamesTest {

    private static Set<String> ask(String sql) throws SQLException {
        Set<String> answer = new HashSet<>();
        try (Connection connection = PostgresShared.server().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                answer.add(rows.getString(1));
            }
        }
        return answer;
    }

    private static Set<String> functions(String condition) throws SQLException {
        Set<String> found =
                ask("SELECT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND " + condition);
        found.retainAll(PostgresNames.FUNCTIONS);
        return found;
    }

    @Test
    void everyFunctionIsBuiltIn() throws SQLException {
        assertThat(functions("true")).isEqualTo(PostgresNames.FUNCTIONS).hasSizeGreaterThan(500);
        assertThat(ask("SELECT proname FROM pg_proc")).containsAll(PostgresNames.LOCKS);
        assertThat(PostgresNames.FUNCTIONS).doesNotContainAnyElementsOf(PostgresNames.LOCKS);
    }

    /** A function that becomes volatile in a later version is to be looked at. */
    @Test
    void volatileFunctionsAreThoseThatWereLookedAt() throws SQLException {
        assertThat(functions("provolatile = 'v'")).isEqualTo(Findings.words(PostgresNames.VOLATILE));
    }

    @Test
    void noFunctionIsOneOfTheServersInsidesOrRunsText() throws SQLException {
        assertThat(
                        functions(
                                "(prokind = 'p' OR 'internal'::regtype = ANY (proargtypes) OR prorettype = 'trigger'::regtype)"))
                .isEmpty();
        assertThat(PostgresNames.FUNCTIONS)
                .doesNotContain("set_config", "nextval", "setval", "currval", "lastval", "setseed", "query_to_xml")
                .doesNotContain("table_to_xml", "ts_stat", "ts_rewrite", "pg_export_snapshot", "pg_terminate_backend")
                .noneMatch(name -> name.startsWith("lo_") || name.startsWith("pg_read_") || name.startsWith("dblink"));
    }

    @Test
    void everyOperatorIsBuiltIn() throws SQLException {
        Set<String> expected = ask("SELECT oprname FROM pg_operator");
        expected.addAll(Set.of("!=", "=>"));
        assertThat(expected).containsAll(PostgresNames.OPERATORS);
    }

    /** Neither unreserved words nor those that may name a function. */
    @Test
    void keywordsCanNameNoFunction() throws SQLException {
        assertThat(ask("SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'C')"))
                .containsAll(PostgresNames.KEYWORDS);
    }
}
