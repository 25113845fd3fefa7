package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts are cut where the server cuts them, or refused. */
class SqlTokensTest {

    /** Tokens one after the other: kind, then text. The ends of lines are written ¶ and §. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '^',
            delimiter = '~',
            value = {
                "SELECT a ~ w:select w:a",
                "Straße ~ n:straße",
                "\u212aey ~ n:\u212aey",
                "\"Set\"\"It\" ~ n:Set\"It",
                "a$$b ~ w:a$$b",
                "'it''s' ~ p:it's",
                "'a\\b' ~ p:a\\b",
                "'a\\\\' ~ p:a\\\\",
                "E'a\\'b' c ~ s:E'a\\'b' w:c",
                "E'it''s' c ~ s:E'it''s' w:c",
                "b'01' X'1F' n'x' ~ s:b'01' s:X'1F' s:n'x'",
                "date'x' ~ w:date p:x",
                "$$ ' $a$ -- $$ x ~ s:$$ ' $a$ -- $$ w:x",
                "$a$ $$ $b$a$ x ~ s:$a$ $$ $b$a$ w:x",
                "$1+$2 ~ $:$1 o:+ $:$2",
                "1 1.5 .5 1. 1e5 1.5e-3 0x1F 1_000 ~ 1:1 1:1.5 1:.5 1:1. 1:1e5 1:1.5e-3 1:0x1F 1:1_000",
                "a /* ' /* ; */ \" */ b ~ w:a w:b",
                "a -- ' /* ~ w:a",
                "a --x¶ b --y§ c ~ w:a w:b w:c",
                "a*/**/b ~ w:a o:* w:b",
                "a=--x¶ b ~ w:a o:= w:b",
                "a =-- /*¶ 1 ~ w:a o:= 1:1",
                "a->>'b' ~ w:a o:->> p:b",
                "a[1:2]::int ~ w:a [:[ 1:1 ::: 1:2 ]:] t::: w:int",
                "a=?and ~ !",
                "f?(1) ~ !",
                "a =? and b=?::int ~ w:a o:=? w:and w:b o:=? t::: w:int",
            })
    void textsAreCutAsTheServerCutsThem(String sql, String expected) {
        SqlTokens tokens = SqlTokens.of(sql.replace('¶', '\n').replace('§', '\r'));
        if (expected.equals("!")) {
            assertThat(tokens.refusal()).isNotNull();
            return;
        }
        assertThat(tokens.refusal()).isNull();
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < tokens.count(); i++) {
            seen.add((char) tokens.kind(i) + ":" + tokens.text(i));
        }
        assertThat(String.join(" ", seen)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'a",
                "'a''",
                "\"a",
                "E'a\\'",
                "$$ a",
                "$a$ $$",
                "/* a",
                "/* /* */",
                "/*/ a */",
                "$",
                "a $b",
                "'a\\'",
                "'a\\\\\\' b'",
                "E'a''b\\' c'",
                "U&'a'",
                "u&\"a\"",
                "1a",
                "1$$ $$",
                "$1a",
                "1.5.6",
                "1..2",
                "(a",
                "a)",
                "(a;b)",
                "a \\ b",
                "a \u0001 b",
            })
    void textsThatMayBeReadInTwoWaysAreRefused(String sql) {
        assertThat(SqlTokens.of(sql).refusal()).as(sql).isNotNull();
    }

    @Test
    void parenthesesKnowEachOther() {
        SqlTokens tokens = SqlTokens.of("a(b(c)(d))");
        assertThat(tokens.partner(1)).isEqualTo(9);
        assertThat(tokens.partner(9)).isEqualTo(1);
        assertThat(tokens.partner(3)).isEqualTo(5);
        assertThat(tokens.partner(8)).isEqualTo(6);
    }
}
