package dev.weir.spring.boot;

import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The application's work with the database. */
@Service
public class Harbour {
    private final JdbcTemplate jdbc;

    @PersistenceContext
    private EntityManager entities;

    Harbour(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    public void build(long id, String name) {
        entities.persist(new Ship(id, name));
    }

    /** Writes by both ways, then fails. */
    @Transactional
    public void sink(long id) {
        jdbc.update("insert into ship values (?, 'Vasa')", id);
        entities.persist(new Ship(id + 1, "Mary Rose"));
        entities.flush();
        throw new IllegalStateException("too much sail");
    }

    @Transactional(readOnly = true)
    public String nameOf(long id) {
        Ship ship = entities.find(Ship.class, id);
        return ship == null ? "none" : ship.name();
    }

    public int count() {
        return jdbc.queryForObject("select count(*) from ship", Integer.class);
    }
}
