package dev.weir.spring.boot;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** Nothing but what Spring Boot makes of the class path; without JPA and Flyway by its properties. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class PlainApplication {
    /** What switches off all that would use a connection at the start. */
    static final String[] NOTHING_MORE = {
        "spring.autoconfigure.exclude",
        "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                + "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration"
    };
}
