package dev.weir.micronaut;

import io.micronaut.data.annotation.GeneratedValue;
import io.micronaut.data.annotation.Id;
import io.micronaut.data.annotation.MappedEntity;
import org.jspecify.annotations.Nullable;

/** What {@link Ships} stores. */
@MappedEntity
record Ship(@Id @GeneratedValue @Nullable Long id, String name) {}
