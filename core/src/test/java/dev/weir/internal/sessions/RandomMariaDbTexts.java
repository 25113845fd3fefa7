package dev.weir.internal.sessions;

import java.util.List;
import java.util.Random;

/**
 * SQL texts of MariaDB from a grammar, as {@link RandomTexts} makes those of PostgreSQL: what leaves much or nothing, with comments
 * that are run and that are not, quotes of all kinds, functions of users in odd places. A middle dot stands for a space inside a
 * literal.
 */
final class RandomMariaDbTexts {
    private static final List<String> LITERALS = List.of(
            "'x'",
            "'it''s'",
            "'a\\b'",
            "'\\\\'",
            "'a\\'·,·@b:=1·,·\\''",
            "\"a\\\"·,·trap(1)·,·\\\"\"",
            "\"x\"",
            "\"a'·;·set·@a·=·1·;·'\"",
            "'/*·;·'",
            "'--·'",
            "'#'",
            "b'101'",
            "x'41'",
            "0x41",
            "n'n'",
            "_latin1'a'",
            "_utf8mb4·x'41'",
            "''",
            "null",
            "-1",
            ".5",
            "1e3",
            "'a'\n'b'",
            "@@session.sort_buffer_size",
            "@@version",
            "@@global.max_connections",
            "current_user",
            "current_timestamp",
            "date·'2020-01-01'");

    /** Each sets @trap; some have the names of keywords, or of a built-in function. */
    static final List<String> TRAPS = List.of(
            "trap",
            "any",
            "some",
            "row",
            "value",
            "against",
            "offset",
            "rows",
            "names",
            "lower",
            "count",
            "now",
            "1_0",
            "0o1",
            "datetime",
            "last_insert_id",
            "over_",
            "join",
            "select",
            "värt");

    private static final List<String> NOISE = List.of(
            "\n",
            "\t ",
            "/* x */",
            "/**/",
            " /* a /* ; ' */ ",
            " -- ' ; \n",
            " # ' \" ; \n",
            "\f",
            " --\t\n",
            "/*+ x */",
            "/* -- */",
            " --\n");

    private static final String INSERTED = "'\"`;-/*#()\\ @?{}.,!:=1an\n\r";

    private final Random random;

    RandomMariaDbTexts(Random random) {
        this.random = random;
    }

    String next() {
        return RandomTexts.disguised(statements(), random, NOISE, INSERTED);
    }

    private String statements() {
        StringBuilder all = new StringBuilder(statement());
        while (random.nextInt(3) == 0) {
            all.append(oneOf(" ; ", ";")).append(statement());
        }
        return switch (random.nextInt(8)) {
            case 0 -> "begin ; " + all + " ; " + oneOf("commit", "rollback", "commit work and chain", "select broken");
            case 1 -> oneOf("start transaction", "begin work", "begin") + " ; " + all;
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
            default -> odd();
        };
    }

    private String query() {
        String e = value(3);
        return oneOf(
                "select " + e,
                "select " + e + " , " + value(2),
                "( select " + e + " ) union all ( select " + value(2) + " )",
                "values ( 1 , " + e + " ) , ( 2 , 'y' )",
                "with q as ( select " + e + " as a ) select * from q",
                "with q ( a ) as ( select " + e + " ) select a from q",
                "select count(*) , max( b ) from plain p where b = " + e + " group by a having count(*) > 0 limit 3",
                "select a , row_number() over ( partition by b order by a ) from plain use index ( primary )",
                "select * from plain where a in ( 1 , 2 ) and b not in ( " + e + " ) for update",
                "select * from plain p left join ( select 1 as z ) y on ( p.a = y.z ) where exists ( select 1 )",
                "select 1 = any ( select " + e + " ) , 1 > all ( select 2 )",
                "select cast( " + e + " as char(3) ) , convert( 1 , decimal(10,2) ) , cast( now() as datetime(6) )",
                "select if( 1 , " + e + " , left( 'abc' , 2 ) ) , interval( 1 , 2 ) , insert( 'a' , 1 , 1 , 'b' )",
                "explain select " + e,
                "do " + e,
                "show tables",
                "show variables like 'sort%'",
                "show columns from plain where field = " + e,
                "select case when 1 then " + e + " else ( 2 ) end");
    }

    private String value(int depth) {
        if (depth == 0) {
            return literal();
        }
        return switch (random.nextInt(14)) {
            case 0, 1, 2, 3 -> literal();
            case 4 -> "concat( " + value(depth - 1) + " , " + value(depth - 1) + " )";
            case 5 ->
                oneOf("lower", "upper ", "hex", "length", "coalesce", "other . trap") + "( " + value(depth - 1) + " )";
            case 6 -> "( select " + value(depth - 1) + " )";
            case 7 -> "( " + value(depth - 1) + " " + oneOf("+", "-", "like", "=", "<=>", "div", "||", "&&") + " 1 )";
            case 8 -> "`" + trap() + "`( 1 )";
            case 9 ->
                oneOf(trap(), "weir . trap", "`weir`.`trap`", "\"trap\"", "weir . `lower`")
                        + oneOf("( 1 )", " ( 1 )", "(1)");
            case 10 ->
                oneOf(
                        "get_lock( 'l' , 0 )",
                        "release_lock( 'l' )",
                        "last_insert_id( 5 )",
                        "last_insert_id()",
                        "row_count()",
                        "found_rows()",
                        "nextval( counted )",
                        "rand()",
                        "uuid()",
                        "sleep( 0 )");
            case 11 ->
                oneOf(
                        "@a",
                        "@a := 5",
                        "@`a` := 6",
                        "@'a' := 7",
                        "@@last_insert_id",
                        "@@identity",
                        "next value for counted");
            case 12 -> "hidden( " + random.nextInt(6) + " )";
            default -> "( case " + value(depth - 1) + " when 1 then 'a' else 'b' end )";
        };
    }

    private String literal() {
        return LITERALS.get(random.nextInt(LITERALS.size()));
    }

    private String trap() {
        return TRAPS.get(random.nextInt(TRAPS.size()));
    }

    private String setting() {
        String scope = oneOf("", "session ", "local ", "@@session.", "@@local.", "@@", "@@session . ");
        String is = oneOf(" = ", " := ");
        String one = scope
                + oneOf(
                        "sort_buffer_size" + is + (100_000 + random.nextInt(1_000_000)),
                        "max_statement_time" + is + random.nextInt(100),
                        "foreign_key_checks" + is + oneOf("off", "on", "0", "'off'"),
                        "time_zone" + is
                                + oneOf("'+01:00'", "\"+02:00\"", "default", "concat( '+0' , '3:00' )", "broken"),
                        "sql_select_limit" + is + oneOf("1000", "default", "( select 2000 )"),
                        "optimizer_switch" + is + "'mrr=on'",
                        "lc_time_names" + is + "'de_DE'",
                        "`unique_checks`" + is + "0",
                        "unique_checks" + is + oneOf("0", "trap( 0 )", "hidden( 0 )", "@a := 0"),
                        "sql_mode" + is + oneOf("'ANSI_QUOTES'", "''"),
                        "autocommit" + is + "1",
                        "timestamp" + is + "5",
                        "sql_log_bin" + is + "0",
                        "tx_isolation" + is + "'SERIALIZABLE'",
                        "max_join_size" + is + "1000",
                        "tmp_table_size" + is + "100000");
        return oneOf(
                "set " + one,
                "set " + one + " , "
                        + oneOf(
                                "group_concat_max_len = 5000",
                                "@a = 1",
                                "@@wait_timeout = 1000",
                                "net_read_timeout = 9"),
                "set session read_buffer_size = 200000 , "
                        + oneOf("local wait_timeout = 99", "@a = 2", "@@sort_buffer_size = 300000"),
                "set @a = " + value(1),
                "set @`a` = 1",
                "set names " + oneOf("utf8mb4", "utf8mb4 collate utf8mb4_bin"),
                "set role " + oneOf("none", "r"),
                "set session transaction isolation level serializable",
                "set transaction read only",
                "set statement max_statement_time = 5 for " + query(),
                "use " + oneOf("other", "weir", "`other`", "\"other\""),
                "set character set default",
                "set password for others = 'x' , @a = 1");
    }

    private String change() {
        String e = value(2);
        return oneOf(
                "insert into plain ( b ) values ( " + e + " )",
                "insert ignore into plain ( b ) select " + e,
                "insert into plain set b = " + e + " on duplicate key update b = values( b )",
                "replace into weir.plain ( a , b ) values ( 1 , " + e + " )",
                "update plain set b = " + e + " where a < " + random.nextInt(9),
                "delete from plain where a > 1000 and b = " + e,
                "insert into traps ( b ) values ( " + random.nextInt(6) + " )",
                "insert into traps ( b ) values ( " + random.nextInt(6) + " ) returning b",
                "update traps set b = " + random.nextInt(6),
                "select * from view_of_hidden",
                "select * from plain into @a",
                "select 1 into @a",
                "insert into plain ( b ) select 1 into @a",
                "delete from plain where a = 77 returning " + e,
                "truncate table scratch",
                "with q as ( select 1 ) select * from q for update");
    }

    private String other() {
        return oneOf(
                "create temporary table t ( a int )",
                "create or replace temporary table t as select 1 as a",
                "create table if not exists scratch ( a int , b varchar(10) default ( concat( 'a' , 'b' ) ) , key ( a ) )",
                "create or replace table scratch as select " + value(2) + " as a",
                "create or replace view v as select " + value(1) + " as a",
                "drop table if exists scratch",
                "drop temporary table if exists t",
                "alter table scratch comment 'x'",
                "analyze table plain",
                "lock tables plain write",
                "unlock tables",
                "flush tables plain with read lock",
                "prepare p from 'select 1'",
                "prepare p from 'set @a = 1' ; execute p",
                "execute immediate 'set @a = 1'",
                "deallocate prepare p",
                "handler plain open",
                "call work()",
                "{ call work() }",
                "begin not atomic set @a = 1 ; end",
                "begin set @a = 1 ; end",
                "xa start 'x' ; xa end 'x' ; xa rollback 'x'",
                "savepoint s",
                "commit",
                "rollback",
                "kill query connection_id()",
                "show warnings",
                "grant select on weir.plain to others",
                "create sequence if not exists s2",
                "drop sequence if exists s2",
                "drop database if exists nothing");
    }

    private String odd() {
        return oneOf(
                "/*! set @a = 1 */",
                "/*!50000 set @a = 1 */",
                "/*M! set @a = 1 */",
                "/*M!100000 set @a = 1 */ select 1",
                "select 1 /*! into @a */",
                "select 1 /*! , get_lock( 'l' , 0 ) */",
                "/* x */ set @a = 1",
                "/*/ select 1 /*/ ; set @a = 1",
                "select 1 --x\n ; set @a = 1",
                "select 1 -- x\r ; set @a = 1",
                "select 1 # x\r ; set @a = 1",
                "select 1 # x\n ; set @a = 1",
                "select 1--1",
                "select 'a\\' ; set @a = 1 ; select '",
                "select \"a\\\" ; set @a = 1 ; select \"",
                "select 'a\\\\' ; select 1",
                "select `a`.`b` from ( select 1 as b ) a",
                "select 1 as `a``b`",
                "select 1 as \"a\"\"b\"",
                "select sql_calc_found_rows * from plain",
                "select 1 procedure analyse()",
                "select \\N",
                "delimiter //",
                ";",
                "select 1 ; ; set @a = 1",
                "select \"trap\" ( 1 )",
                "select \"trap\"(1)",
                "select 1_0(1)",
                "select plain.1a from plain");
    }

    private String oneOf(String... texts) {
        return texts[random.nextInt(texts.length)];
    }
}
