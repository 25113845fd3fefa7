package dev.weir.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P8: SQL is shown without what was in its literals and comments, whatever database it is for and wherever it was cut. */
class SqlTextTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '^',
            delimiter = '|',
            value = {
                "select 1 | select ?",
                "ALTER USER shop PASSWORD 'geheim' | ALTER USER shop PASSWORD ...",
                "select * from t1 where a = 'x' and b=4 | select * from t1 where a = ...",
                "select b=-4.5e-3, 0x1F, .5, 1_000 | select b=-?-?, ?, .?, ?",
                "select N'a' from t | select N...",
                "select \"Name\" from t | select ...",
                "select `name`, v$x from `my-shop`.`t` | select `name`, v$x from `my-shop`.`t`",
                "insert into t values ( ?,? ) | insert into t values ( ?,? )",
                "{? = call f(?, 'x')} | {? = call f(?, ...",
                "{call f(?)} | {call f(?)}",
                "select a[1], b from t where c = $1 | select a[?], b from t where c = $?",
                "/* secret */ /* it's */ select a -- secret | select a ...",
                "select a::text, b <> d | select a::text, b <> d",
            })
    void itIsShownUpToItsFirstLiteral(String sql, String shown) {
        assertThat(SqlText.withoutLiterals(sql)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select a, 'geheim",
                "select a, \"geheim",
                "select a, $$geheim$$, b",
                "select a, $x$geheim$x$, b",
                "select a, q'[it's geheim]'",
                "select a, 'x\\' , ' geheim",
                "select a, '''geheim'a''' ",
                "select a, /* geheim",
                "select a, /* /* */ geheim */",
                "select a, /*! 'x */ geheim' */",
                "select a, --'\n' geheim",
                "select a, -- b\rc = ' geheim",
                "select a, # 'geheim",
                "select a, // geheim",
                "select a, [it's] = 'geheim",
                "select a, `it's` = 'geheim",
                "select a, { geheim } b",
            })
    void whatAnyDatabaseTakesForALiteralOrACommentEndsIt(String sql) {
        assertThat(SqlText.withoutLiterals(sql))
                .startsWith("select a,")
                .endsWith("...")
                .doesNotContain("geheim");
    }

    @Test
    void aPasswordWithoutQuotesIsTakenOut() {
        assertThat(SqlText.withoutLiterals("alter user scott identified by tiger"))
                .isEqualTo("alter user scott identified ...");
    }

    @Test
    void itIsOneLineAndCut() {
        assertThat(SqlText.withoutLiterals("select a,\r\n\t  b\nfrom t")).isEqualTo("select a, b from t");
        String sql = "select " + "column, ".repeat(1_000);
        assertThat(SqlText.cut(sql)).hasSize(SqlText.KEPT);
        assertThat(SqlText.cut(null)).isNull();
        assertThat(SqlText.withoutLiterals(sql)).endsWith("...").hasSizeLessThan(SqlText.KEPT + 10);
        assertThat(SqlText.shortened(SqlText.withoutLiterals(sql))).hasSize(SqlText.SHOWN + 3);
    }

    @Test
    void aWordThatTheCutWentThroughIsNotShown() {
        String sql = "a".repeat(SqlText.KEPT - 10) + " geheimwort";
        assertThat(SqlText.withoutLiterals(sql)).endsWith("aa...");
    }

    /** Writes SQL of one kind of database at random, with Greek letters and digits in literals and comments alone. */
    enum Database {
        STANDARD {
            @Override
            String literal(Random random) {
                return switch (random.nextInt(7)) {
                    case 0 -> "E'" + escaped(random, '\'') + "'";
                    case 1 -> "$x$" + noise(random).replace("$", "") + "$x$";
                    case 2 -> "$$" + noise(random).replace("$", "") + "$$";
                    case 3 -> "-- " + noise(random).replace("\n", "").replace("\r", "") + "\n";
                    case 4 -> "/*" + plain(random) + "/* " + plain(random) + "*/" + plain(random) + "*/";
                    default -> "'" + noise(random).replace("'", "''") + "'";
                };
            }

            @Override
            String name(Random random) {
                return random.nextInt(3) == 0
                        ? "a # b"
                        : '"' + nameNoise(random).replace("\"", "\"\"") + '"';
            }
        },
        MYSQL {
            @Override
            String literal(Random random) {
                return switch (random.nextInt(8)) {
                    case 0 -> "# " + noise(random).replace("\n", "") + "\n";
                    case 1 -> "-- " + noise(random).replace("\n", "") + "\n";
                    case 2 -> "/*" + noise(random).replace("*/", "").replace("*", "") + "*/";
                    case 3 -> "/*! '" + escaped(random, '\'') + "' */";
                    case 4 -> "5--" + "'" + escaped(random, '\'') + "'";
                    case 5 -> "\"" + escaped(random, '"') + "\"";
                    default -> "'" + escaped(random, '\'') + "'";
                };
            }

            @Override
            String name(Random random) {
                return '`' + nameNoise(random).replace("`", "``") + '`';
            }
        },
        ORACLE {
            @Override
            String literal(Random random) {
                return switch (random.nextInt(5)) {
                    case 0 -> "q'[" + noise(random).replace("]'", "") + "]'";
                    case 1 -> "-- " + noise(random).replace("\n", "") + "\n";
                    case 2 -> "/*" + noise(random).replace("*", "") + "*/";
                    default -> "'" + noise(random).replace("'", "''") + "'";
                };
            }

            @Override
            String name(Random random) {
                return random.nextBoolean()
                        ? "serial#"
                        : '"' + nameNoise(random).replace("\"", "") + '"';
            }
        },
        SQL_SERVER {
            @Override
            String literal(Random random) {
                return switch (random.nextInt(4)) {
                    case 0 -> "-- " + noise(random).replace("\n", "").replace("\r", "") + "\n";
                    case 1 -> "/*" + noise(random).replace("*", "").replace("/", "") + "*/";
                    default -> "N'" + noise(random).replace("'", "''") + "'";
                };
            }

            @Override
            String name(Random random) {
                return "[" + nameNoise(random).replace("]", "]]") + "]";
            }
        };

        private static final String NOISE = "'\"`\\#-/*$[]{}!\n\r qQeE;,.";
        private static final String SECRETS = "αβγδεζηθ0123456789";

        /** A literal or a comment, with secrets in it. */
        abstract String literal(Random random);

        /** A name in quotes, or one that another database reads differently; without secrets. */
        abstract String name(Random random);

        private static String of(Random random, String letters) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(8); n > 0; n--) {
                text.append(letters.charAt(random.nextInt(letters.length())));
            }
            return text.toString();
        }

        static String noise(Random random) {
            return of(random, NOISE + SECRETS + SECRETS);
        }

        static String nameNoise(Random random) {
            return "n" + of(random, NOISE.replace("\n", "").replace("\r", "") + "abc");
        }

        static String plain(Random random) {
            return of(random, SECRETS + " '\"");
        }

        /** Quotes and backslashes escaped by a backslash, or quotes doubled. */
        static String escaped(Random random, char quote) {
            String text = noise(random).replace("\\", "\\\\");
            return text.replace(String.valueOf(quote), (random.nextBoolean() ? "\\" : quote + "") + quote);
        }

        String sql(Random random) {
            StringBuilder sql = new StringBuilder();
            for (int n = 1 + random.nextInt(8); n > 0; n--) {
                switch (random.nextInt(4)) {
                    case 0 -> sql.append(name(random));
                    case 1 -> sql.append("select a, b from t where c = ");
                    case 2 -> sql.append(random.nextInt(100)).append(" , ");
                    default -> sql.append(literal(random));
                }
                sql.append(" ");
            }
            return sql.toString();
        }
    }

    @ParameterizedTest
    @EnumSource(Database.class)
    void nothingOfALiteralIsEverShownWhereverTheTextIsCut(Database database) {
        Pattern secret = Pattern.compile("[αβγδεζηθ\\d]");
        int shown = 0;
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            String sql = database.sql(random);
            String cut = sql.substring(0, random.nextInt(sql.length() + 1));
            for (String text : List.of(sql, cut)) {
                String clean = SqlText.withoutLiterals(text);
                shown += clean.length();
                assertThat(clean)
                        .as("seed %d: %s", seed, text)
                        .doesNotContainPattern(secret)
                        .doesNotContain("\n");
            }
        }
        assertThat(shown).as("it does show something").isGreaterThan(200_000);
    }

    @Test
    void whateverCharactersItHasItIsReadToItsEnd() {
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(40); n > 0; n--) {
                text.append((char) (random.nextBoolean() ? random.nextInt(128) : random.nextInt(65_536)));
            }
            assertThat(SqlText.withoutLiterals(text.toString())).isNotNull();
        }
    }
}
