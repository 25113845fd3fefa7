/** The pool in Quartz: {@code org.quartz.dataSource.NAME.connectionProvider.class = dev.weir.quartz.WeirConnectionProvider}. */
@NullMarked
package dev.weir.quartz;

import org.jspecify.annotations.NullMarked;
