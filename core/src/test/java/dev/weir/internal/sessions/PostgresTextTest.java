package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.sessions.Effect.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule by example; the server itself is asked in {@link LeftoversTest}. */
class PostgresTextTest {

    private static Effect effectOf(String sql) {
        return PostgresText.effectOf(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ; /* nothing */ ;; -- at all",
                "SELECT 1",
                "/* comment */ select * from t where id = ? and name like 'a\\_%'",
                "(select 1) union all (select 2) order by 1",
                "values (1, 'a'), (2, 'b')",
                "table t",
                "select count(*) filter (where a > 1) over (partition by b order by c) from t",
                "select distinct on (a) lower(b) from t",
                "select lower(a), \"upper\"(b), pg_catalog.now(), \"pg_catalog\".\"length\"(c) from t",
                "select a::varchar(10), cast(b as numeric(10, 2)), c::timestamptz(3), d::my_type(3) from t",
                "select interval '1 day', interval(3) '1 day', date '2020-01-01', extract(epoch from now())",
                "select * from unnest(array[1, 2]) as u (a), generate_series(1, 2) g (b)",
                "with a (x, y) as (select 1, 2), b(z) as not materialized (values (1)) select * from a, b",
                "with recursive n (i) as (select 1 union all select i + 1 from n where i < 9) select i from n",
                "select * from a join (select 1) b on true where a.id in (select 1) and exists (select 1) and b = any (?)",
                "select a from t group by rollup (a, b)",
                "select a from t group by grouping sets ((a), (b))",
                "select * from t tablesample system (10) repeatable (1)",
                "select * from t where a ?? 'x' and b ??| array['y'] and c @> ?::jsonb and d ? 'x'",
                "select x operator(pg_catalog.+) y, a = -1, b=-1, not c",
                "select * from t for update of t skip locked",
                "select * from t for no key update",
                "select {d '2020-01-01'}, {ts '2020-01-01 10:00:00'}",
                "select set_config('app.tenant', lower(?), true)",
                "select current_setting('app.tenant', true), current_user, current_timestamp(3)",
                "select pg_advisory_xact_lock(1), pg_try_advisory_xact_lock(1, 2), pg_notify('a', 'b')",
                "select '; set a.b = 1', $$ listen a $$, E'\\'; listen a; --'",
                "select 1 /* ; listen a */ -- ; listen b",
                "explain (analyze, buffers) select lower('a')",
                "explain analyze verbose select 1",
                "begin isolation level serializable read only",
                "start transaction; select 1; savepoint a; rollback to savepoint a; release a; commit",
                "end; abort; rollback; commit and chain",
                "set local work_mem = '1MB'; set local role a; set transaction read only; set constraints all deferred",
                "set transaction_isolation = 'serializable'",
                "show all; show work_mem",
                "declare c cursor for select 1; fetch 10 from c; move c; close c",
                "declare c no scroll cursor without hold for select 1",
                "notify a, 'b'; checkpoint; lock table t in exclusive mode",
            })
    void clear(String sql) {
        assertThat(effectOf(sql)).as(sql).isEqualTo(Effect.NOTHING);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into t (a, b) values (?, ?) returning id",
                "insert into s.t as x (a) select lower(b) from u on conflict (id) do update set a = excluded.a",
                "INSERT INTO \"T\" (a) VALUES ({ts '2020-01-01'})",
                "update t set a = a + 1 where id = ?",
                "delete from t using u where t.id = u.id",
                "merge into t using u on (t.id = u.id) when not matched then insert (id) values (u.id)",
                "with d as (delete from t returning *) select * from d",
                "with n as (select 1) insert into t select * from n",
                "truncate t",
                "copy t (a, b) from stdin with (format csv)",
                "copy (select lower(a) from t) to stdout",
                "select nextval('s')",
                "select nextval('s') from generate_series(1, 10)",
                "select setval('s', 10)",
                "select * into u from t",
                "explain analyze insert into t values (1)",
                "create table t (id bigint default nextval('s'), a varchar(10) check (f(a)), temp int)",
                "create unlogged table u as select lower(a) from t",
                "create or replace view v as select f(1)",
                "create unique index i on t (lower(a))",
                "create function f() returns int language sql as $$ select 1; listen a $$",
                "alter table t add b int; drop table t; comment on table t is 'a'; grant select on t to u",
                "alter role u set search_path = a; alter system set work_mem = '1MB'",
                "vacuum (full) t (a); analyze t (a); reindex table t; refresh materialized view v",
                "commit prepared 'a'; rollback prepared 'b'",
            })
    void leaves(String sql) {
        assertThat(effectOf(sql).kind()).as(sql).isEqualTo(Kind.LEAVES);
        assertThat(effectOf(sql).names()).isEmpty();
        assertThat(effectOf(sql).reason()).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '^',
            delimiter = '|',
            value = {
                "set work_mem = '1MB' | work_mem",
                "SET SESSION Work_Mem TO DEFAULT | work_mem",
                "set app.tenant=-1 | app.tenant",
                "set \"app\".\"Tenant\" = 'a' | app.tenant",
                "set search_path = a, public | search_path",
                "set schema 'a' | search_path",
                "set time zone 'UTC' | timezone",
                "set session time zone local | timezone",
                "set role a | role",
                "set session role none | role",
                "reset role | role",
                "reset time zone | timezone",
                "reset app.tenant | app.tenant",
                "set xml option document | xmloption",
                "select set_config('App.Tenant', ?, false) | app.tenant",
                "select pg_catalog.set_config('app.a', lower(b), FALSE) from t | app.a",
                "select set_config('app.a', set_config('app.b', '1', false), false) | app.a,app.b",
                "begin; set a.b = 1; rollback; set c.d = 2 | a.b,c.d",
                "set statement_timeout = 1; select set_config('a.b', '', true) | statement_timeout",
                "set session characteristics as transaction read only"
                        + " | default_transaction_deferrable,default_transaction_isolation,default_transaction_read_only",
            })
    void sets(String sql, String names) {
        assertThat(effectOf(sql).kind()).as(sql).isEqualTo(Kind.SETS);
        assertThat(effectOf(sql).names()).containsExactlyInAnyOrder(names.split(","));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select pg_advisory_lock(1)",
                "select PG_TRY_ADVISORY_LOCK_SHARED(1, 2) from t",
                "select pg_advisory_unlock_all()",
                "select pg_try_advisory_lock(1), set_config('a.b', '1', false)",
            })
    void locks(String sql) {
        assertThat(effectOf(sql).kind()).as(sql).isEqualTo(Kind.LOCKS);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '^',
            delimiterString = "-->",
            value = {
                "listen a --> LISTEN",
                "unlisten * --> UNLISTEN",
                "prepare a as select 1 --> PREPARE",
                "prepare transaction 'a' --> PREPARE",
                "execute a --> EXECUTE",
                "explain analyze execute a --> EXECUTE",
                "deallocate all --> DEALLOCATE",
                "do $$ begin end $$ --> DO",
                "call p() --> CALL",
                "load 'x' --> LOAD",
                "discard plans --> DISCARD",
                "reset all --> RESET ALL",
                "declare a cursor with hold for select 1 --> WITH HOLD",
                "declare a cursor for select f(1) --> function f",
                "create temp table a (b int) --> temporary table",
                "create or replace local temporary view a as select 1 --> temporary table",
                "create schema a create temp table b () --> temporary table",
                "select 1 into temp a --> temporary table",
                "select 1 into local temporary table a --> temporary table",
                "create table pg_temp.a (b int) --> temporary schema",
                "insert into \"pg_temp_3\".a values (1) --> temporary schema",
                "set search_path = pg_temp --> temporary schema",
                "set local search_path = 'pg_temp, a' --> the temporary schema in search_path",
                "select set_config('search_path', 'PG_TEMP', false) --> the temporary schema in search_path",
                "create table a as execute b --> EXECUTE",
                "create table a as select f(1) --> function f",
                "select audit_login() --> function audit_login",
                "select a.f(1) --> a function of another schema",
                "select a.pg_catalog.lower('a') --> a function of another schema",
                "select (a).f(1) --> a function of another schema",
                "select \"My f\"(1) --> a function",
                "select \"coalesce\"(1) --> function coalesce",
                "select \"Lower\"('a') --> a function",
                "select lower /* ( */ (f (1)) --> function f",
                "select distinct on (a) f(b) from t --> function f",
                "select a operator(pg_catalog.+) f(1) --> function f",
                "select a operator(public.+) b --> function operator",
                "select a === b --> an operator that is not built in",
                "select * from t join u on conflict(t.a) where true --> function conflict",
                "select case when a then insert(1) end --> function insert",
                "select not materialized(1) --> function materialized",
                "select * from a, f(x) as (c int) --> function f",
                "select * from t order by cube(1) --> function cube",
                "select over(1), filter(2) --> function over",
                "select currval('s') --> function currval",
                "select lastval() --> function lastval",
                "select setseed(0.5) --> function setseed",
                "select query_to_xml('select f()', true, true, '') --> function query_to_xml",
                "select table_to_xml('v', true, true, '') --> function table_to_xml",
                "select set_config(?, 'a', false) --> set_config",
                "select set_config('a.b', 'c', ?) --> set_config",
                "select set_config('a.b', 'c', not true) --> set_config",
                "select set_config('a.' || 'b', 'c', false) --> set_config",
                "select set_config('a b', 'c', false) --> the name of a setting",
                "set client_encoding = 'UTF8' --> SET client_encoding",
                "set names 'UTF8' --> SET client_encoding",
                "set datestyle = 'ISO' --> SET datestyle",
                "set standard_conforming_strings = off --> SET standard_conforming_strings",
                "set session authorization a --> SET session_authorization",
                "set session_authorization = a --> SET session_authorization",
                "reset session authorization --> SET session_authorization",
                "set seed = 0.5 --> SET seed",
                "set local seed = 0.5 --> SET seed",
                "set local datestyle = 'SQL' --> SET datestyle",
                "update pg_settings set setting = '1MB' where name = 'work_mem' --> UPDATE pg_settings",
                "create function f() returns int begin atomic select 1; end --> BEGIN ATOMIC",
                "create extension pgcrypto --> not understood: CREATE",
                "copy t from '/a' --> not understood: COPY",
                "import foreign schema a from server b into c --> not understood: IMPORT",
                "{call f()} --> JDBC escape",
                "{?= call f(?)} --> JDBC escape",
                "select {fn lower('a')} --> JDBC escape",
                "select {d 'a}b'} --> JDBC escape",
                "select 'a --> not understood: a literal without end",
                "set a.b = 1; insert into t values (1) --> SET a.b with a change",
                "select pg_advisory_lock(nextval('s')) --> pg_advisory_lock with a change",
                "select 1; listen a; set a.b = 1 --> LISTEN",
            })
    void pins(String sql, String reason) {
        assertThat(effectOf(sql).kind()).as(sql).isEqualTo(Kind.PINS);
        assertThat(effectOf(sql).reason()).as(sql).isEqualTo(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'secret' select 1",
                "reset 'secret'",
                "\"secret\" x",
                "set 'secret' = 1",
                "select \"se cret\"(1)"
            })
    void noLiteralIsInAReason(String sql) {
        assertThat(effectOf(sql).kind()).isEqualTo(Kind.PINS);
        assertThat(effectOf(sql).toString()).doesNotContain("secret").doesNotContain("se cret");
    }

    @Test
    void namesAreKeptBesidesWhatPins() {
        assertThat(effectOf("set a.b = 1; listen c").names()).isEqualTo(Set.of("a.b"));
    }

    @Test
    void nulAndTextsThatAreTooLongPin() {
        assertThat(effectOf("select '\0'").kind()).isEqualTo(Kind.PINS);
        assertThat(effectOf(" ".repeat(Findings.LONGEST_TEXT + 1)).kind()).isEqualTo(Kind.PINS);
        assertThat(effectOf(" ".repeat(Findings.LONGEST_TEXT)).kind()).isEqualTo(Kind.CLEAR);
    }

    /** The holes that the class names: if one is closed, its Javadoc says too much. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "select a.total from orders a", // or the function total(orders)
                "select * from a_view", // or what a function in it sets
                "select \"left\"(a) from t", // or a user's left(text)
                "select a + b from t", // or a user's operator for their types
                "select 'a'::my_domain", // or what its check calls
                "select set_config('search_path', ?, true)", // or pg_temp
            })
    void whatNoTextShowsIsTakenForWhatItSeems(String sql) {
        assertThat(effectOf(sql)).isEqualTo(Effect.NOTHING);
    }

    /** Whatever is nested or repeated: a million characters, read in a hundredth of the time that is allowed. */
    @Test
    void deepAndLongTextsTakeTimeInProportion() {
        List<String> parts = List.of(
                "(",
                "f(",
                "lower(",
                "/*",
                "explain ",
                "set_config('a.b',",
                "a.",
                "'\\'",
                "$$",
                "$a$ $",
                "\"",
                "with a (b,",
                "?",
                "e'",
                "-",
                "{d '",
                ",a(b",
                "select distinct on (a) (b",
                "begin atomic ",
                "; create temp table a;",
                "as ",
                "1.",
                "[",
                "into ",
                "copy (",
                "create schema (",
                "b, ",
                "conflict(",
                "on conflict (a) do ",
                "U&'",
                "''",
                "pg_temp");
        for (String part : parts) {
            int times = Findings.LONGEST_TEXT / (part.length() + 1);
            String text = part.repeat(times) + ")".repeat(times);
            long begin = System.nanoTime();
            assertThat(effectOf(text)).isNotNull();
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).as(part).isLessThan(Duration.ofSeconds(10));
        }
    }
}
