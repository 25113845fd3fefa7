CREATE TABLE IF NOT EXISTS weir_fleet (
    fleet    varchar(64) NOT NULL PRIMARY KEY,
    budget   int         NOT NULL,
    reserve  int         NOT NULL,
    lease    bigint      NOT NULL,
    forget   bigint      NOT NULL,
    places   int         NOT NULL,
    measured bigint      NOT NULL,
    turn     bigint      NOT NULL
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
