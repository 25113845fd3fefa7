package dev.weir.internal.text;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Parameters of drivers whose values may be shown, whatever driver reads them. A name that is not here counts as a secret: a
 * driver of tomorrow has a new one, and to mask too much costs a word in a message.
 *
 * <p>They are parameters of the drivers of PostgreSQL (also of CockroachDB, Yugabyte, Redshift), MySQL, MariaDB, Oracle, SQL
 * Server, DB2, Informix, H2, HSQLDB, Derby, SQLite, Firebird, Snowflake, Databricks, BigQuery, ClickHouse, DuckDB, Trino, SAP
 * HANA, Vertica, Exasol, Teradata. Left out, since what they hold is free text or may be a key: {@code options},
 * {@code init}, {@code sessionVariables}, {@code sslkey}, {@code keyStore}, arguments of factories, headers.
 */
final class HarmlessNames {
    private static final Set<String> NAMES =
            Set.copyOf(List.of("""
            address address_list addresses allow_mixed_replicas applicationintent applicationname application_name
            appname authmech authscheme authtype authenticator autocommit auto_server autoreconnect autosave

            binarytransfer builtin_cache_size cache_size cacheprepstmts catalog characterencoding charset charactersetresults
            cipher classname clienthostname clientinfoprovider clientprogramname client_encoding clusterid
            columnencryptionsetting compress compression compressionalgorithm connect_data connectiontimezone
            connectioncollation connectionretrycount connectionretrydelay connecttimeout connection_timeout create
            createdatabaseifnotexist crypt_type currentschema current_schema

            database databasemetadatacachefields databasename database_name databaseterm datasource_name db db_close_delay
            db_close_on_exit db_name dbname dbs_port decimal_separator default_null_ordering defaultfetchsize
            defaultnchar defaultrowfetchsize delaytime delayprepares description direct disable_mars dnssrv driver
            drivertype

            emulatelocators enabledsslciphersuites enabledsslprotocolsuites enabledtlsprotocols encoding encrypt
            enddelimiter escapesyntaxcallmode expire_time

            failover failoverpartner fail_over fetchsize fetch_size file_lock fips foreign_keys

            gssencmode

            hamode host hostname hostnameincertificate hostrecheckseconds httppath http_port https_port

            ifexists ifx_lock_mode_wait informixserver instance instancename instance_name integratedsecurity
            ipaddresspreference isolation isolationlevel

            jdbccomplianttruncation journal_mode kerberosservername

            language lc_ctype load_balance loadbalance loadbalancehosts load_balance_timeout localsocketaddress locale
            location lock_timeout locktimeout logging loginmode loginseconds logintimeout login_timeout loglevel logpath
            loggerlevel logunclosedconnections

            maxallowedpacket maxconnections maxresultbuffer max_result_buffer maxretries mode multisubnetfailover

            networktimeout non_keywords

            oauthtype oraclehostname page_size parallel port portnumber port_number prefer preferquerymode
            preparedstatementcachequeries preparedstatementcachesizemib preparethreshold prepstmtcachesize
            prepstmtcachesqllimit project projectid protocol protocolversion

            querytimeout query_timeout

            readonly readonlymode read_only receivebuffersize reconnect region relaxautocommit responsebuffering
            retrievemessagesfromserveronerror retries retry_count retry_delay rewritebatchedinserts rewritebatchedstatements
            role rolename

            schema scram_max_iterations secure security selectmethod sendbuffersize sendstringparametersasunicode
            sendtimeasdatetime server serverinstance servername server_name servernamecharacterset serverport
            serversslcert servertimezone service service_name servicename session_timeout sessiontimezone shutdown
            sid sidname socket_timeout sockettimeout source sourceroute source_route sql_mode
            sslconnection ssl sslcert sslcipher sslfactory sslhostnameverifier sslhostnameverification sslmode
            ssl_mode sslnegotiation sslprotocol sslrootcert sslverification sslverificationmode sslversion ssl_server_cert_dn
            ssl_server_dn_match sslvalidatecertificate statementpoolingcachesize stringtype subname sub_name synchronous

            targetservertype tcpkeepalive tcpnodelay territory timeout timezone time_zone tinyint1isbit
            tlsversion tls_version tls_versions tmode trace_level_file trace_level_system_out traceLevel transactionisolation
            transaction_mode transactiontimeout transportmode transport_connect_timeout tnsname tns_admin truststore
            trustservercertificate truststoretype

            uid upgrade usecompression usecursorfetch uselocalsessionstate usenativequery usepipelineauth
            useserverprepstmts usessl useunicode user userid user_id username

            validatecertificate validateservercertificate verifyservercertificate

            warehouse workgroup workstationid wsid

            xaoptimize xopensharedbehavior zerodatetimebehavior
            """.toLowerCase(Locale.ROOT).strip().split("\\s+")));

    private HarmlessNames() {}

    static boolean contains(String name) {
        return NAMES.contains(name.toLowerCase(Locale.ROOT));
    }
}
