package dev.weir.micrometer;

/** Whose names the meters of a pool have. */
public enum MetricNames {
    /** Weir's own: {@code weir.connections}, {@code weir.connections.wait} and so on. */
    WEIR,
    /** Those of HikariCP: {@code hikaricp.connections}, {@code hikaricp.connections.acquire} and so on. */
    HIKARICP
}
