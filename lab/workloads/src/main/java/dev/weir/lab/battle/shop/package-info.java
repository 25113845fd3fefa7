/** The application: Spring services over Hibernate entities, on HSQLDB in memory, with another system behind it. */
@NullMarked
package dev.weir.lab.battle.shop;

import org.jspecify.annotations.NullMarked;
