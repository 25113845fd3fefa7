package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.sessions.Effect.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A reader that pins what applications usually send would be of no use: a measure, over texts of Hibernate, Spring, Jdbi, jOOQ. */
class UsualTextsTest {
    private static final List<String> TEXTS = List.of(
            "select o1_0.id,o1_0.customer_id,o1_0.total from orders o1_0 where o1_0.id=?",
            "select c1_0.id,o1_0.customer_id,o1_0.id from customer c1_0 left join orders o1_0 on c1_0.id=o1_0.customer_id where c1_0.id in (?,?,?)",
            "insert into orders (customer_id,total,id) values (?,?,?)",
            "insert into orders (customer_id,total,id) values (?,?,default) returning id",
            "update orders set customer_id=?,total=?,version=? where id=? and version=?",
            "delete from orders where id=? and version=?",
            "select nextval('orders_seq')",
            "select next_val as id_val from hibernate_sequences for update",
            "select count(*) from orders o1_0 where lower(o1_0.name) like lower(?) escape ''",
            "select o1_0.id from orders o1_0 order by o1_0.created desc offset ? rows fetch first ? rows only",
            "select o1_0.id from orders o1_0 where o1_0.id=? for no key update",
            "select o1_0.id from orders o1_0 where o1_0.state=? for update skip locked limit 10",
            "select distinct o1_0.state,count(o1_0.id),sum(o1_0.total) from orders o1_0 group by o1_0.state having count(o1_0.id)>?",
            "select row_number() over(partition by a.b order by a.c desc nulls last) rn from a",
            "select cast(o1_0.total as numeric(38,2)),coalesce(o1_0.name,'') from orders o1_0",
            "select extract(year from o1_0.created),date_trunc('month',o1_0.created) from orders o1_0",
            "select case when o1_0.total>? then 'big' else 'small' end from orders o1_0",
            "select string_agg(t.name, ', ' order by t.name) filter (where t.name is not null) from tag t",
            "select now(), current_date, current_timestamp, localtimestamp",
            "select 1",
            "SELECT VERSION()",
            "select exists(select 1 from users u where u.email = ?)",
            "select * from users where id = any(?)",
            "select * from users where (a, b) in ((?, ?), (?, ?))",
            "select * from users u join lateral (select * from orders o where o.user_id = u.id limit 1) o on true",
            "select data->>'name', data #>> '{a,b}', data @> ?::jsonb from documents where data ?? 'name'",
            "select jsonb_build_object('id', id, 'tags', jsonb_agg(tag)) from t group by id",
            "select to_tsvector('english', body) @@ plainto_tsquery('english', ?), ts_rank(v, q) from docs",
            "with recursive tree(id, parent_id) as (select id, parent_id from node where id = ? union all"
                    + " select n.id, n.parent_id from node n join tree t on n.parent_id = t.id) select * from tree",
            "with moved as (delete from inbox where id in (select id from inbox order by id limit 100 for update skip locked)"
                    + " returning *) insert into archive select * from moved",
            "insert into t (id, n) values (?, ?) on conflict (id) do update set n = excluded.n where t.n <> excluded.n",
            "insert into t (id, n) values (?, ?) on conflict do nothing",
            "insert into t (a, b) select * from unnest(?::int[], ?::text[])",
            "insert into \"public\".\"Order\" (\"id\", \"name\") values (cast(? as bigint), ?)",
            "select \"public\".\"author\".\"id\", \"public\".\"author\".\"name\" from \"public\".\"author\" where \"public\".\"author\".\"id\" = cast(? as int)",
            "merge into stock s using (values (?, ?)) as v(id, n) on s.id = v.id when matched then update set n = s.n + v.n"
                    + " when not matched then insert (id, n) values (v.id, v.n)",
            "update account set balance = balance - ? where id = ? returning balance",
            "update t set x = v.x from (values (1, 'a'), (2, 'b')) as v(id, x) where t.id = v.id",
            "truncate table t restart identity cascade",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
            "SAVEPOINT \"jdbi-1\"",
            "RELEASE SAVEPOINT \"jdbi-1\"",
            "set local statement_timeout = '5s'",
            "SET search_path TO tenant_1, public",
            "set app.current_tenant = '42'",
            "select set_config('app.current_tenant', ?, false)",
            "select set_config('app.current_tenant', ?, true)",
            "select set_config(?, ?, true)",
            "set statement_timeout to 5000",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
            "SET application_name = 'shop'",
            "set role tenant_1",
            "reset role",
            "SET TIME ZONE 'UTC'",
            "select pg_advisory_xact_lock(hashtext(?))",
            "select pg_try_advisory_lock(?)",
            "SELECT pg_notify('events', ?)",
            "NOTIFY events, 'x'",
            "DELETE FROM SPRING_SESSION WHERE EXPIRY_TIME < ?",
            "INSERT INTO SPRING_SESSION_ATTRIBUTES (SESSION_PRIMARY_ID, ATTRIBUTE_NAME, ATTRIBUTE_BYTES) VALUES (?, ?, ?)"
                    + " ON CONFLICT (SESSION_PRIMARY_ID, ATTRIBUTE_NAME) DO UPDATE SET ATTRIBUTE_BYTES = EXCLUDED.ATTRIBUTE_BYTES",
            "SELECT nextval('BATCH_JOB_SEQ')",
            "UPDATE QRTZ_TRIGGERS SET TRIGGER_STATE = ? WHERE SCHED_NAME = 'shop' AND TRIGGER_NAME = ? AND TRIGGER_STATE = ?",
            "SELECT * FROM QRTZ_LOCKS WHERE SCHED_NAME = 'shop' AND LOCK_NAME = ? FOR UPDATE",
            "UPDATE shedlock SET lock_until = timezone('utc', CURRENT_TIMESTAMP) + cast(? as interval) WHERE name = ?",
            "select exists (select from pg_tables where schemaname = ? and tablename = ?)",
            "CREATE TABLE flyway_schema_history (installed_rank INT NOT NULL, description VARCHAR(200) NOT NULL,"
                    + " installed_on TIMESTAMP NOT NULL DEFAULT now(), success BOOLEAN NOT NULL, PRIMARY KEY (installed_rank))",
            "create index if not exists users_email on users (lower(email))",
            "alter table users add constraint fk foreign key (team_id) references team (id)",
            "explain (analyze, buffers) select * from users",
            "select uuid_generate_v4()");

    @Test
    void textsOfApplicationsSeldomPin() {
        List<String> pinned = TEXTS.stream()
                .filter(text -> PostgresText.effectOf(text).kind() == Kind.PINS)
                .map(text -> text + " : " + PostgresText.effectOf(text).reason())
                .toList();
        assertThat(TEXTS).hasSizeGreaterThan(60);
        assertThat(pinned).as("texts that pin").hasSizeLessThanOrEqualTo(TEXTS.size() / 20);
    }
}
