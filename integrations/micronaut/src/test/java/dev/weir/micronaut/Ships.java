package dev.weir.micronaut;

import io.micronaut.data.jdbc.annotation.JdbcRepository;
import io.micronaut.data.model.query.builder.sql.Dialect;
import io.micronaut.data.repository.CrudRepository;

/** A repository of Micronaut Data. */
@JdbcRepository(dialect = Dialect.H2)
interface Ships extends CrudRepository<Ship, Long> {}
