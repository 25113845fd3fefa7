package dev.weir.spi;

/** The meaning of a failure that a driver reports, for the connection it came from and for the pool. */
public enum FailureClass {
    /** The connection is gone: it is retired, and its older siblings are tested before they are lent again. */
    DISCONNECT,
    /**
     * The database refused who we are (SQLState 28xxx, Oracle 1017, SQL Server 18456): waiting users get the error at once, and the next logins are far
     * apart, at most 20 a minute and at least one in 4 s while users ask; other credentials of a {@link CredentialsProvider}
     * are tried at once.
     */
    AUTHENTICATION,
    /**
     * The database has no place for one more connection (53300, 1040, 1203, 1226): opening backs off, those we have go
     * on.
     */
    TOO_MANY_CONNECTIONS,
    /** The database became read-only, as after a failover (25006, 1290): the connection is retired. */
    READ_ONLY,
    /** A failure of the statement, not of the connection. */
    OTHER
}
