package dev.weir.spring.boot;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** What the endpoint {@code weir} shows, and to whom; as Spring Boot's own endpoints with values have it. */
@ConfigurationProperties("management.endpoint.weir")
class WeirEndpointProperties {
    private Show showValues = Show.NEVER;
    private Show showSql = Show.NEVER;
    private Set<String> roles = new LinkedHashSet<>();
    private Duration longLoan = Duration.ofSeconds(1);
    private Duration slowConnect = Duration.ofSeconds(1);

    /** Who sees the values of the settings. */
    public Show getShowValues() {
        return showValues;
    }

    public void setShowValues(Show value) {
        showValues = value;
    }

    /** Who sees the last SQL of each connection in use; it has no literals either way. */
    public Show getShowSql() {
        return showSql;
    }

    public void setShowSql(Show value) {
        showSql = value;
    }

    /** The roles of those who are authorized; none: whoever is authenticated. */
    public Set<String> getRoles() {
        return roles;
    }

    public void setRoles(Set<String> value) {
        roles = new LinkedHashSet<>(value);
    }

    /** Loans of this length and longer are kept. */
    public Duration getLongLoan() {
        return longLoan;
    }

    public void setLongLoan(Duration value) {
        longLoan = value;
    }

    /** Connects that took this long and longer are kept. */
    public Duration getSlowConnect() {
        return slowConnect;
    }

    public void setSlowConnect(Duration value) {
        slowConnect = value;
    }
}
