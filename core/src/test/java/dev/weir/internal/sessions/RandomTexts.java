package dev.weir.internal.sessions;

import java.util.List;
import java.util.Random;

/**
 * SQL texts from a grammar: statements that leave much or nothing, alone and together, in transactions that end well or not, with
 * comments, quotes and functions in odd places; some with a character too many or too few. Spaces stand where the server allows
 * a comment; a middle dot stands for a space inside a literal.
 */
final class RandomTexts {
    private static final List<String> LITERALS = List.of(
            "'x'",
            "'it''s'",
            "'a\\b'",
            "'\\\\'",
            "E'a\\'b·;·listen·x'",
            "E'a\\\\'",
            "$$·;·set·app.a·=·'z'·$$",
            "$q$'·$$·$q$",
            "'/*·;·'",
            "'--·'",
            "B'101'::text",
            "'{\"a\":1}'",
            "''",
            "N'n'",
            "null::text",
            "current_user::text",
            "U&'\\0041'",
            "1::text",
            "-1::text",
            ".5::text",
            "'a'\n'b'",
            "'pg_temp'",
            "date·'2020-01-01'::text");

    /** Each sets app.trap; some have the names of keywords, or of a built-in function in another case or place. */
    static final List<String> TRAPS = List.of(
            "trap",
            "conflict",
            "materialized",
            "rollup",
            "cube",
            "sets",
            "system",
            "bernoulli",
            "filter",
            "over",
            "\"join\"",
            "by",
            "insert",
            "operator",
            "\"values\"",
            "\"coalesce\"",
            "\"Lower\"",
            "\"set\"",
            "update");

    private static final List<String> NOISE = List.of(
            "\n",
            "\t ",
            "/* x */",
            "/**/",
            " /* a /* ; ' */ b */ ",
            " -- ' $$ ; \n",
            "\f",
            " --\r\n",
            " /* \" */ ",
            "/* -- */");

    private static final String INSERTED = "'\"$;-/*()\\ E?{}.,&:=e1a\n";

    private final Random random;

    RandomTexts(Random random) {
        this.random = random;
    }

    String next() {
        return disguised(statements(), random, NOISE, INSERTED);
    }

    private String statements() {
        StringBuilder all = new StringBuilder(statement());
        while (random.nextInt(3) == 0) {
            all.append(oneOf(" ; ", ";", " ;; ")).append(statement());
        }
        return switch (random.nextInt(8)) {
            case 0 ->
                "begin ; " + all + " ; "
                        + oneOf("commit", "end", "rollback", "abort", "select 1/0", "commit and chain");
            case 1 -> "begin ; " + all;
            case 2 -> "begin ; " + all + " ; savepoint s ; " + statement() + " ; rollback to savepoint s ; commit";
            default -> all.toString();
        };
    }

    private String statement() {
        return switch (random.nextInt(6)) {
            case 0, 1 -> query();
            case 2 -> setting();
            case 3 -> change();
            case 4 -> other();
            default -> command();
        };
    }

    private String query() {
        String e = text(3);
        return oneOf(
                "select " + e,
                "select " + e + " , " + text(2),
                "( select " + e + " ) union all select " + text(2),
                "values ( 1 , " + e + " ) , ( 2 , 'y' )",
                "select * from plain where b = " + e,
                "select * from plain p join plain q on " + text(1) + " is null where true",
                "select * from plain p join plain q on " + trap() + " ( p.b ) is null where true",
                "select distinct on ( b ) " + text(1) + " from plain",
                "select distinct on ( 1 ) " + trap() + " ( 'x' )",
                "with c as ( select " + e + " x ) select x from c",
                "with c ( x ) as ( select " + e
                        + " ) , d ( y ) as not materialized ( values ( 1 ) ) select x from c , d",
                "with c as not materialized ( select " + e + " x ) select x from c",
                "with f ( x ) as ( select 'a' ) select " + trap() + " ( x ) from f",
                "select * from unnest ( array [ 1 ] ) g ( i ) , " + trap() + " ( 'x' ) as t ( v )",
                "select * from unnest ( array [ 1 ] ) as trap ( i )",
                "select count ( * ) filter ( where b is not null ) over ( order by a ) from plain",
                "select b from plain group by rollup ( b )",
                "select 1 order by " + trap() + " ( 'x' )",
                "select max ( a ) from plain group by " + oneOf("rollup", "cube", "grouping sets") + " ( ( b ) )",
                "select case when true then " + trap() + " ( 'x' ) end",
                "select not " + trap() + " ( 'x' ) is null",
                "select 1 operator ( pg_catalog.+ ) length ( " + trap() + " ( 'x' ) )",
                "select 'a' operator ( public.=== ) 'b'",
                "select 'a' " + oneOf("===", "=", "<>", "||", "===") + " 'b'",
                "select * into made from plain where " + text(1) + " is null",
                "select * into temp made from plain",
                "explain select " + e,
                "explain ( analyze , format json ) select " + e,
                "explain analyze verbose select " + e,
                "with c as ( insert into traps ( b ) values ( 1 ) returning a ) select a from c",
                "select * from plain tablesample " + oneOf("system", "bernoulli") + " ( 10 )",
                "select * from plain for update",
                "select a as lower , b as \"set\" from plain",
                "select xmlelement ( name a , " + text(1) + " )",
                "select interval ( 3 ) '1·day' , cast ( 'a' as varchar ( 10 ) ) , " + text(1) + " :: varchar ( 5 )",
                "table plain",
                "select * from plain , records ( b ) as ( " + oneOf("v", "values", "insert", "\"select\"") + " text )",
                "with hold as ( select " + e + " ) select * from hold",
                "select " + lock(),
                "select " + lock() + " , " + text(1),
                "select b from plain where " + lock() + " is null",
                "select " + configured(literal()) + " from plain",
                "select " + configured(text(1)));
    }

    /** An expression of type text. */
    private String text(int depth) {
        if (depth == 0 || random.nextInt(4) == 0) {
            return literal();
        }
        String e = text(depth - 1);
        return switch (random.nextInt(22)) {
            case 0 -> "lower ( " + e + " )";
            case 1 -> "\"upper\" ( " + e + " )";
            case 2 ->
                "pg_catalog . " + oneOf("lower", "\"lower\"", "set_config") + " ( " + e + oneOf("", " , 'x' , false")
                        + " )";
            case 3 -> "( " + e + " || " + text(depth - 1) + " )";
            case 4 -> "coalesce ( " + e + " , " + text(depth - 1) + " )";
            case 5 ->
                "case when " + e + " = " + text(depth - 1) + " then " + literal() + " else " + text(depth - 1) + " end";
            case 6 -> "cast ( " + e + " as varchar ( 10 ) )";
            case 7 -> "( " + e + " ) :: varchar ( 5 )";
            case 8 -> "( select " + e + " )";
            case 9 -> "( select max ( b ) from plain where b in ( " + e + " , 'q' ) )";
            case 10 -> "( array [ " + e + " ] ) [ 1 ]";
            case 11 -> "substring ( " + e + " from 1 for 2 )";
            case 12 -> "concat ( " + e + " , " + text(depth - 1) + " )";
            case 13 -> trap() + " ( " + e + " )";
            case 14 -> "public.lower ( " + e + " )";
            case 15 -> oneOf("nextval", "currval") + " ( 's' ) :: text";
            case 16 -> lock();
            case 17 -> "setseed ( 0.5 ) :: text";
            default -> configured(e);
        };
    }

    private String lock() {
        return oneOf(
                        "pg_advisory_lock",
                        "PG_Try_Advisory_Lock_shared",
                        "pg_advisory_xact_lock",
                        "pg_advisory_unlock",
                        "\"pg_try_advisory_lock\"",
                        "pg_catalog . pg_advisory_lock_shared")
                + " ( " + random.nextInt(3) + " ) :: text";
    }

    private String configured(String value) {
        String name = oneOf(
                "'app.a'",
                "'App.B'",
                "'work_mem'",
                "'app.' || 'c'",
                "lower ( 'APP.A' )",
                "E'app.b'",
                "$$app.c$$",
                "'search_path'",
                "'role'",
                "'geqo_threshold'",
                "'app.'\n'a'",
                "setting_name => 'app.a'",
                "'app.a' :: text",
                "n'app.c'",
                "'transaction_isolation'",
                "'datestyle'",
                "'session_authorization'",
                "U&'app.\\0061'");
        return "set_config ( " + name + " , " + oneOf(value, "'1MB'", "'2MB'") + " , "
                + oneOf("false", "false", "true", "'f'", "not true") + " )";
    }

    private String setting() {
        String set = "set " + oneOf("", "", "session ", "local ");
        return oneOf(
                set
                        + oneOf(
                                "work_mem",
                                "app.a",
                                "\"app\" . \"b\"",
                                "app . c",
                                "app.\"A\"",
                                "\"app.a\"",
                                "geqo_threshold")
                        + oneOf(" = ", " to ", "=")
                        + oneOf("'100'", "100", "default", "'2MB'"),
                set + "search_path to " + oneOf("public", "other , public", "'other'", "pg_temp , public", "'pg_temp'"),
                set + "time zone " + oneOf("'UTC'", "local", "-7", "interval '1' hour to minute", "default"),
                set + "role " + oneOf("others", "none", "'others'", "\"others\""),
                set + "schema 'other'",
                set + "names " + oneOf("'UTF8'", "default", "'LATIN1'"),
                set + "xml option " + oneOf("document", "content"),
                set + "session authorization " + oneOf("others", "default"),
                set + "session_authorization = others",
                set + "datestyle = " + oneOf("'ISO,·DMY'", "'SQL'", "iso"),
                set + "standard_conforming_strings = " + oneOf("off", "on"),
                set + "seed to 0.5",
                set + "enable_" + oneOf("sort", "hashjoin", "seqscan") + " = off , extra",
                set + "enable_" + oneOf("sort", "hashjoin", "seqscan") + " = off",
                "set session characteristics as transaction "
                        + oneOf("read only", "isolation level serializable", "deferrable"),
                "set " + oneOf("", "session ", "local ") + "transaction isolation level serializable",
                "set transaction_read_only = on",
                "set constraints all deferred",
                "reset "
                        + oneOf(
                                "work_mem",
                                "app.a",
                                "role",
                                "time zone",
                                "all",
                                "session authorization",
                                "search_path"),
                "set work_mem from current",
                "update pg_settings set setting = '3MB' where name = 'work_mem'",
                "update pg_catalog.\"pg_settings\" set setting = '3MB' where name = 'work_mem'",
                "do $$ begin perform set_config ( 'app.a' , 'done' , false ) ; end $$");
    }

    private String change() {
        return oneOf(
                "insert into traps ( b ) values ( " + random.nextInt(6) + " ) returning a",
                "insert into traps ( b ) select " + random.nextInt(6) + " where " + text(1) + " is null",
                "insert into plain ( a , b ) values ( 1 , " + text(2) + " ) on conflict ( a ) do nothing",
                "insert into plain as p ( a , b ) values ( 1 , " + text(1)
                        + " ) on conflict ( a ) do update set b = excluded.b",
                "insert into plain default values",
                "update plain set b = " + text(2),
                "update traps set b = b + 1",
                "delete from traps where b = " + random.nextInt(6),
                "merge into plain p using ( values ( 7 ) ) v ( a ) on p.a = v.a"
                        + " when not matched then insert ( a , b ) values ( v.a , " + text(1) + " )",
                "truncate plain",
                "create table if not exists made ( a int default nextval ( 's' ) , b varchar ( 10 ) check ( length ( b ) > 1 ) )",
                "create table made as select " + text(2) + " x",
                "drop table if exists made",
                "create or replace view seen as select trap ( 'x' ) x",
                "create index if not exists made_i on plain ( lower ( b ) )",
                "alter table plain add column if not exists c int default " + random.nextInt(9),
                "comment on table plain is 'a;·listen·b'",
                "create or replace function other.f ( ) returns int language sql as $f$ select 1 ; select 2 $f$",
                "select nextval ( 's' )",
                "select setval ( 's' , 5 )",
                "analyze plain ( a )");
    }

    private String command() {
        return oneOf(
                "listen " + oneOf("x", "\"Y\""),
                "unlisten *",
                "notify x , 'y'",
                "prepare p as select 1",
                "prepare p ( int ) as select $1",
                "execute p",
                "deallocate " + oneOf("p", "all"),
                "declare c cursor for select " + text(1),
                "declare c " + oneOf("", "no scroll ") + "cursor with hold for select 1",
                "declare c cursor without hold for select 1",
                "fetch all from c",
                "close " + oneOf("c", "all"),
                "discard " + oneOf("all", "plans", "temp", "sequences"),
                "create temp table kept ( a int )",
                "create " + oneOf("local temporary", "temporary", "global temp") + " table kept as select 1 a",
                "create or replace temp view kept_view as select 1 a",
                "create temp sequence kept_s",
                "create table pg_temp.kept ( a int )",
                "create table \"pg_temp\" . kept as select 1 a",
                "create function pg_temp.kept_f ( ) returns int language sql as 'select·1'",
                "call work ( )",
                "lock table plain",
                "load 'plpgsql'",
                "show work_mem",
                "checkpoint");
    }

    private String other() {
        return oneOf(
                "",
                "select",
                "select 1 ; " + query(),
                "do language plpgsql $d$ begin execute 'listen·y' ; end $d$",
                "do $$ begin create temp table kept ( a int ) ; end $$",
                "select " + trap() + " ( " + text(1) + " )",
                "select public . trap ( 'x' )",
                "select \"trap\" ( 'x' )",
                "select trap ( variadic_free => 'x' )",
                "select 'a' ; ; select 'b'",
                "select pg_notify ( 'x' , 'y' )",
                "select * from pg_settings where name = 'work_mem'",
                "select current_setting ( 'app.a' , true )",
                "select array_agg ( b order by a ) from plain",
                "select generate_series ( 1 , 3 )",
                "select {d '2020-01-01'} , {fn lower ( " + text(1) + " ) }",
                "{call trap ( 'x' ) }",
                "{? = call trap ( 'x' ) }",
                "select 1 in ( 1 , 2 ) , 1 = any ( array [ 1 ] ) , exists ( select 1 ) , row ( 1 , 2 ) , null",
                "select query_to_xml ( 'select·trap('||quote_literal('x')||')' , true , true , '' )",
                "create function other.g ( ) returns text begin atomic select " + text(1) + " ; end");
    }

    private String trap() {
        return TRAPS.get(random.nextInt(TRAPS.size()));
    }

    private String literal() {
        return LITERALS.get(random.nextInt(LITERALS.size()));
    }

    private String oneOf(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** The same to the server, with other spaces and cases; some with a character too many or too few. */
    static String disguised(String plain, Random random, List<String> noise, String inserted) {
        StringBuilder words = new StringBuilder();
        boolean noisy = random.nextInt(3) == 0;
        for (String word : plain.split(" ", -1)) {
            boolean changes = random.nextInt(4) == 0 && word.chars().allMatch(c -> (c >= 'a' && c <= 'z') || c == '_');
            word.chars()
                    .forEach(
                            c -> words.append((char) (changes && random.nextBoolean() ? Character.toUpperCase(c) : c)));
            words.append(noisy && random.nextInt(4) == 0 ? noise.get(random.nextInt(noise.size())) : " ");
        }
        String text = words.toString().replace('·', ' ').strip();
        if (random.nextInt(8) == 0) {
            for (int i = random.nextInt(2); i >= 0; i--) {
                text = mutated(text, random, inserted);
            }
        }
        return text;
    }

    private static String mutated(String text, Random random, String inserted) {
        if (text.isEmpty()) {
            return text;
        }
        int at = random.nextInt(text.length());
        char other = inserted.charAt(random.nextInt(inserted.length()));
        return switch (random.nextInt(4)) {
            case 0 -> text.substring(0, at) + text.substring(at + 1);
            case 1 -> text.substring(0, at) + other + text.substring(at);
            case 2 -> text.substring(0, at) + other + text.substring(at + 1);
            default -> text.substring(0, at) + text.substring(0, at);
        };
    }
}
