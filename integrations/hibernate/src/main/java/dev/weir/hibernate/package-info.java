/** The pool in Hibernate: {@code hibernate.connection.provider_class=weir}, configured by {@code hibernate.weir.*}. */
@NullMarked
package dev.weir.hibernate;

import org.jspecify.annotations.NullMarked;
