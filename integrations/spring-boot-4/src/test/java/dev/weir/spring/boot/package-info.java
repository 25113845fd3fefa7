/** Applications that are started for real, on a real database. */
package dev.weir.spring.boot;
