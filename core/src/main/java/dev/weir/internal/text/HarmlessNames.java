package dev.weir.internal.text;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Parameters of drivers whose values may be shown, whatever driver reads them. A name that is not here counts as a secret: a
 * driver of tomorrow has a new one, and to mask too much costs a word in a message. A value of {@code true} or {@code false}
 * is shown without.
 *
 * <p>Each group names its source: the driver's own list of the version that was read, else its documentation; a parameter is
 * in the group that has it first. Left out, since they hold free text, other parameters, or a key itself: {@code options},
 * {@code init}, {@code connsettings}, {@code onconnect} and other SQL, {@code sessionVariables}, {@code specialRegisters},
 * arguments of factories, headers, {@code sslkey} and {@code keyStore} (PEM in ClickHouse and HANA),
 * {@code wallet_location} (base64 in Oracle), proxies and endpoints that are URLs.
 */
final class HarmlessNames {
    private static final Set<String> NAMES = names(
            // PostgreSQL, CockroachDB, Redshift: pgjdbc 42.7.14, PGProperty; Yugabyte: its reference of the smart
            // driver
            """
            applicationname assumeminserverversion autosave binarytransfer cancelsignaltimeout channelbinding
            connecttimeout currentschema databasemetadatacachefields databasemetadatacachefieldsmib
            defaultrowfetchsize escapesyntaxcallmode gssencmode gsslib gssresponsetimeout hostrecheckseconds
            jaasapplicationname kerberosservername load-balance loadbalancehosts localsocketaddress loggerlevel
            logintimeout logunclosedconnections maxresultbuffer maxsendbuffersize pgdbname pghost pgport
            preferquerymode preparedstatementcachequeries preparedstatementcachesizemib preparethreshold
            protocolversion querytimeout readonly readonlymode receivebuffersize replication rewritebatchedinserts
            rewritebatchedinsertssize scrammaxiterations sendbuffersize service socketfactory sockettimeout ssl
            sslcert sslfactory sslhostnameverifier sslmode sslnegotiation sslresponsetimeout sslrootcert stringtype
            targetservertype tcpkeepalive tcpnodelay topology-keys user yb-servers-refresh-interval
            """,
            // Cloud SQL: its socket factory of 2026-07, ConnectionConfig; AWS: its wrapper of 2026-08,
            // AwsWrapperProperty
            """
            cloudsqlinstance cloudsqlrefreshstrategy clusterid clusterinstancehostpattern dbuser failovermode
            failovertimeoutms failuredetectioncount failuredetectioninterval failuredetectiontime iamdefaultport
            iamexpiration iamhost iamregion iptypes wrapperdialect wrapperloggerlevel wrapperplugins
            wrapperprofilename
            """,
            // MySQL: Connector/J 9.4.0, PropertyKey
            """
            address autoreconnect cacheprepstmts callablestmtcachesize characterencoding charactersetresults
            clientinfoprovider connectioncollation connectiontimezone createdatabaseifnotexist databaseterm dbname
            defaultfetchsize dnssrv emulatelocators enabledsslciphersuites enabledtlsprotocols
            ha.loadbalancestrategy host initialtimeout jdbccomplianttruncation loadbalanceblocklisttimeout
            loadbalanceconnectiongroup maxallowedpacket maxreconnects maxrows metadatacachesize
            nettimeoutforstreamingresults port prepstmtcachesize prepstmtcachesqllimit protocol
            replicationconnectiongroup rewritebatchedstatements servertimezone socksproxyhost socksproxyport
            tinyint1isbit tlsciphersuites tlsversions usecompression usecursorfetch uselocalsessionstate
            useserverprepstmts usessl verifyservercertificate zerodatetimebehavior
            """,
            // MariaDB: its driver 3.5.6, Configuration
            """
            autocommit database enabledsslprotocolsuites galeraallowedstate localsocket maxidletime maxpoolsize
            minpoolsize pipe poolname poolvalidmindelay restrictedauth serversslcert serviceprincipalname
            tcpkeepcount tcpkeepidle tcpkeepinterval timezone tlssockettype transactionisolation truststore
            truststoretype usecatalogterm
            """,
            // Oracle: Net Services Reference (descriptors), ojdbc11 23.26.4 (properties); a wallet's location may be
            // the
            // wallet itself
            """
            address_list connect_data connect_timeout defaultnchar defaultrowprefetch description description_list
            expire_time failover https_proxy_port instance_name internal_logon javax.net.ssl.truststore
            javax.net.ssl.truststoretype load_balance oracle.jdbc.defaultlobprefetchsize
            oracle.jdbc.drcpconnectionclass oracle.jdbc.editionname oracle.jdbc.implicitstatementcachesize
            oracle.jdbc.logintimeout oracle.jdbc.readtimeout oracle.net.connect_timeout
            oracle.net.down_hosts_timeout oracle.net.outbound_connect_timeout oracle.net.ssl_server_dn_match
            oracle.net.ssl_version oracle.net.tcp_keepcount oracle.net.tcp_keepidle oracle.net.tcp_keepinterval
            oracle.net.tns_admin recv_buf_size retry_count retry_delay sdu security send_buf_size server
            service_name sid source_route ssl_server_cert_dn ssl_server_dn_match ssl_version tns_admin
            transport_connect_timeout v$session.machine v$session.osuser v$session.program
            """,
            // SQL Server: mssql-jdbc 13.2.1, SQLServerDriver; jTDS 1.3.1; DataDirect: its reference 6.0
            """
            applicationintent appname authentication authenticationmethod authenticationscheme batchsize bindaddress
            bulkcopyforbatchinsertbatchsize cancelquerytimeout charset columnencryptionsetting connectionretrycount
            connectionretrydelay connectretrycount connectretryinterval databasename datetimeparametertype domain
            encrypt encryptionmethod failoverpartner fips hostnameincertificate instance instancename
            integratedsecurity ipaddresspreference jaasconfigurationname lobbuffer locktimeout logfile maxstatements
            multisubnetfailover packetsize portnumber preparemethod preparesql processid progname realm
            responsebuffering selectmethod sendstringparametersasunicode sendtimeasdatetime servercertificate
            servername serverpreparedstatementdiscardthreshold serverspn servertype socketfactoryclass sslprotocol
            statementpoolingcachesize tds trustmanagerclass trustservercertificate validateservercertificate
            workstationid wsid
            """,
            // Sybase: jConnect 7.07, list of connection properties
            """
            default_query_timeout hostname internal_query_timeout jconnect_version language request_ha_session
            servicename
            """,
            // Db2: jcc 12.1.5, DB2BaseDataSource; Informix: jdbc 15.0.1, IfxCoreDataSource
            """
            blockingreadconnectiontimeout client_locale clientprogramname clientreroutealternateportnumber
            clientreroutealternateservername clientuser clientworkstation commandtimeout connect_retries
            connectiontimeout currentlocktimeout currentpackageset currentsqlid db_locale dbdate decimalseparator
            defaultisolationlevel drivertype fetchsize ifx_lock_mode_wait informixconretry informixcontime
            informixserver keepalivetimeout maxretriesforclientreroute memberconnecttimeout opt_goal
            progressivestreaming querydatasize resultsetholdability retrievemessagesfromserverongetmessage
            retryintervalforclientreroute securitymechanism sslconnection ssltruststorelocation ssltruststoretype
            sslversion tracedirectory tracefile tracelevel
            """,
            // H2 2.5.252, SetTypes and DbSettings; HSQLDB 2.7.4, HsqlDatabaseProperties; Derby 10.16.1, Attribute
            """
            access_mode_data auto_reconnect auto_server auto_server_port cache_size cache_type cipher collation
            create crypt_type db_close_delay db_close_on_exit default_lock_timeout default_null_ordering
            encryptionalgorithm file_lock forbid_creation hsqldb.lock_file hsqldb.tx hsqldb.write_delay ifexists
            lock_mode lock_timeout max_memory_rows max_query_timeout mode network_timeout non_keywords page_size
            query_timeout schema schema_search_path shutdown slavehost slaveport territory trace_level_file
            trace_level_system_out trace_max_file_size upgrade write_delay
            """,
            // SQLite: sqlite-jdbc 3.50.3, SQLiteConfig.Pragma; DuckDB: its reference of configuration; Firebird:
            // Jaybird
            // of 2026-08
            """
            access_mode busy_timeout date_class date_precision defaultisolation enableprotocol encoding foreign_keys
            journal_mode journal_size_limit lc_ctype locking_mode max_memory memory_limit mmap_size open_mode
            pagecachesize parallelworkers rolename sessiontimezone socketbuffersize sotimeout sqldialect synchronous
            temp_store threads transaction_mode username wirecrypt
            """,
            // Snowflake 4.3, SFSessionProperty; Redshift of 2026-05, RedshiftProperty
            """
            account application authenticator blockingrowsmode cert_revocation_check_mode compression db
            fetchringbuffersize http_client_connection_timeout http_client_socket_timeout iamduration loglevel
            logpath max_tls_version maxhttpretries min_tls_version networktimeout nonproxyhosts ocspfailopen
            plugin_name proxyhost proxyport putgetmaxretries querygroup region retrytimeout role serverlessworkgroup
            tracing warehouse
            """,
            // Databricks of 2025-07, DatabricksJdbcUrlParams; BigQuery, BigQueryJdbcUrlUtility; Athena and Hive: their
            // guides
            """
            auth_flow authmech catalog conncatalog connschema defaultdataset httpconnecttimeout httppath
            httpreadtimeout jobcreationmode jobtimeout location maxresults oauthtype principal projectid
            querydialect ratelimitretrytimeout retryinitialdelay retrymaxdelay rowsfetchedperblock timeout
            transportmode uid universedomain workgroup
            """,
            // ClickHouse of 2026-08, ClickHouseClientOption and ClientConfigProperties; Trino, ConnectionProperties
            """
            applicationnameprefix client_name clienttags compress compress_algorithm connection_timeout
            connection_ttl http_connection_provider kerberosremoteservicename load_balancing_policy
            max_execution_time max_result_rows product_name proxy_host proxy_port proxy_type retry server_time_zone
            session_timeout socket_timeout source ssl_mode ssltruststorepath sslverification time_zone
            transaction_timeout trust_store
            """,
            // HANA: ngdbc 2.28.8, ConnectionProperty; Vertica 25.3 and Exasol 26.2.8, getPropertyInfo
            """
            authmethod backupservernode clientname communicationtimeout connectionloadbalance encryption fingerprint
            hostnameverifier hosttimeout instancenumber isolation jaasconfigname kerberoshostname
            kerberosservicename locale logdir lognamespace nodedownwaittime preferredaddressfamily proxyhostname
            reconnect replicationrole resultbuffersize sessionlabel sitetype sslmaxprotocolversion
            sslminprotocolversion statementcachesize superconnection tlsmode truststorepath validatecertificate
            workload
            """,
            // Teradata 20.00.54, URLParameters; Dremio: its guide; Cassandra of 2026-06, JdbcUrlUtil; Spanner of
            // 2026-03,
            // its table
            """
            activeprofile awsregion client_charset compliancemode connect_failure_ttl connect_function consistency
            databaserole dbs_port default_isolation_level dialect direct encryptdata https_port loadbalancing
            localdatacenter log logmech logon_timeout max_message_body numchannels optimizerversion partition
            reconnect_count reconnect_interval reconnection requesttimeout serialconsistency sessions sslca
            sslcapath sslcipher statement_timeout tmode type
            """);

    private HarmlessNames() {}

    private static Set<String> names(String... groups) {
        return Arrays.stream(groups)
                .flatMap(group -> Arrays.stream(group.strip().split("\\s+")))
                .collect(Collectors.toUnmodifiableSet());
    }

    static boolean contains(String name) {
        return NAMES.contains(name.toLowerCase(Locale.ROOT));
    }

    /** Whether this value, which has a harmless name, has a login in it: it is the URL of another server, or its host. */
    static boolean hasLogin(String value) {
        int slashes = value.indexOf("//");
        int colon = value.indexOf(':', slashes + 1);
        return colon >= 0 && (slashes >= 0 || value.indexOf('@', colon) >= 0);
    }
}
