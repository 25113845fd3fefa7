-- Weir's fleet, for PostgreSQL. A member needs SELECT, INSERT and UPDATE on both tables, and DELETE on
-- weir_fleet_member.
-- Times are milliseconds. expires, measured and turn are times of the fleet's clock, which goes on with the server's
-- and takes no part in its steps; server_clock is the server's time when clock was written.

CREATE TABLE IF NOT EXISTS weir_fleet (
    fleet        varchar(64) NOT NULL PRIMARY KEY,
    budget       int         NOT NULL,
    reserve      int         NOT NULL,
    lease        bigint      NOT NULL,
    forget       bigint      NOT NULL,
    places       int         NOT NULL,
    measured     bigint      NOT NULL,
    turn         bigint      NOT NULL,
    tight        int         NOT NULL,
    clock        bigint      NOT NULL,
    server_clock bigint      NOT NULL
);

CREATE TABLE IF NOT EXISTS weir_fleet_member (
    fleet       varchar(64) NOT NULL,
    instance    varchar(64) NOT NULL,
    application varchar(64) NOT NULL,
    weight      int         NOT NULL,
    guaranteed  int         NOT NULL,
    maximum     int         NOT NULL,
    at_once     int         NOT NULL,
    sequence    bigint      NOT NULL,
    has         int         NOT NULL,
    wants       int         NOT NULL,
    granted     int         NOT NULL,
    floor       int         NOT NULL,
    expires     bigint      NOT NULL,
    tag         varchar(64),
    PRIMARY KEY (fleet, instance)
);
