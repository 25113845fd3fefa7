package dev.weir.internal.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.Configured;
import dev.weir.DenyingDriver;
import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.internal.settings.Settings;
import dev.weir.testkit.Await;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P8: URLs of the common databases, with a secret in each place that their drivers know, in each output of a pool. */
class JdbcUrlSecretsTest {
    /** In every URL below; a part of it that is left over is a leak too. */
    private static final String SECRET = "s3cr3t";

    private static final Duration LIMIT = Duration.ofSeconds(15);

    private static final String[] URLS = {
        // PostgreSQL, CockroachDB, Yugabyte
        "jdbc:postgresql://db.example:5432/shop?user=app&password=s3cr3t&ApplicationName=till",
        "jdbc:postgresql://app:s3cr3t@db.example:5432/shop?sslmode=verify-full",
        "jdbc:postgresql://app:s3cr3t/s3cr3t@db.example/shop",
        "jdbc:postgresql://app:s3cr3t?s3cr3t@db.example/shop",
        "jdbc:postgresql://app:12?s3cr3t@db.example/shop",
        "jdbc:postgresql://app:s3cr3t=s3cr3t@db.example/shop?sslmode=require",
        "jdbc:postgresql://app:s3cr3t@s3cr3t@db.example/shop?sslmode=require",
        "jdbc:postgresql://app:s3cr3t@db1.example,app:s3cr3t@db2.example/shop",
        "jdbc:postgresql://db.example/shop?sslkey=/k.pk8&sslpassword=s3cr3t",
        "jdbc:postgresql://db.example/shop?user=app;password=s3cr3t",
        "jdbc:postgresql://db.example/shop?pass%77ord=s3cr3t&sslmode=require",
        "jdbc:postgresql://db.example/shop?options=-c%20app.key%3Ds3cr3t",
        "jdbc:postgresql://db.example/shop?socketFactoryArg=s3cr3t&ssl=true",
        "jdbc:yugabytedb://db.example:5433/shop?load-balance=true&password=s3cr3t",
        "jdbc:aws-wrapper:postgresql://db.example/shop?idpPassword=s3cr3t&wrapperPlugins=okta",
        "jdbc:aws-wrapper:mysql://db.example/shop?cachePassword=s3cr3t&failoverMode=strict-writer",
        "jdbc:postgresql:///shop?cloudSqlAdminRootUrl=https://app:s3cr3t@sql.example/&ipTypes=PRIVATE",
        // MySQL, MariaDB
        "jdbc:mysql://app:s3cr3t@db.example:3306/shop?useSSL=true",
        "jdbc:mysql://(host=db.example,port=3306,user=app,password=s3cr3t)/shop?useSSL=true",
        "jdbc:mysql://address=(host=db.example)(port=3306)(user=app)(password=s3cr3t)/shop",
        "jdbc:mysql://address=(host=db.example)(password=s3cr3t)s3cr3t)/shop",
        "jdbc:mysql://db.example/shop?trustCertificateKeyStorePassword=s3cr3t&sslMode=VERIFY_CA",
        "jdbc:mysql://db.example/shop?password1=s3cr3t&password2=s3cr3t",
        "jdbc:mysql://db.example/shop?connectionAttributes=key:s3cr3t&useSSL=true",
        "jdbc:mysql://db.example/shop?sessionVariables=aes_key='s3cr3t'",
        "jdbc:mysql:replication://app:s3cr3t@db.example:3306,db2.example:3306/shop",
        "jdbc:mariadb://db.example/shop?keyStorePassword=s3cr3t&keyPassword=s3cr3t",
        "jdbc:mariadb://db.example/shop?initSql=SET%20@key=%27s3cr3t%27&sslMode=verify-full",
        "jdbc:mysql://db.example/shop?propertiesTransform=s3cr3t&password2=s3cr3t",
        // Oracle
        "jdbc:oracle:thin:app/s3cr3t@//db.example:1521/shop",
        "jdbc:oracle:thin:app/s3cr3t@db.example:1521:shop",
        "jdbc:oracle:thin:app/\"s3cr3t@s3cr3t\"@db.example:1521:shop",
        "jdbc:oracle:thin:app/s3cr3t?s3cr3t@db.example:1521:shop",
        "jdbc:oracle:thin:app/s3cr3t//s3cr3t@db.example:1521:shop",
        "jdbc:oracle:thin:app/s3cr3t//s3cr3t@//db.example:1521/shop",
        "jdbc:oracle:oci:app/s3cr3t",
        "jdbc:oracle:thin:proxy[app]/s3cr3t@tcps://db.example:2484/shop?ssl_server_dn_match=true",
        "jdbc:oracle:thin:@tcps://db.example:2484/shop?wallet_location=/w&javax.net.ssl.keyStorePassword=s3cr3t",
        "jdbc:oracle:thin:app/s3cr3t@(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST=db.example)(PORT=1521))"
                + "(CONNECT_DATA=(SERVICE_NAME=shop)))",
        "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=db.example)(PORT=1521))(SECURITY=(WALLET_PASSWORD=s3cr3t)))",
        "jdbc:oracle:thin:@tcps://db.example:1521/shop?wallet_location=data:;base64,s3cr3t+s3cr3t==&retry_count=3",
        "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(HOST=db.example)(PORT=1521))"
                + "(SECURITY=(SEPS_WALLET_LOCATION=data:;base64,s3cr3ts3cr3t==)))",
        "jdbc:oracle:thin:@tcps://db.example:1521/shop?oracle.net.crypto_seed=s3cr3t",
        // SQL Server, Sybase, jTDS
        "jdbc:sqlserver://db.example:1433;databaseName=shop;user=app;password=s3cr3t;encrypt=true",
        "jdbc:sqlserver://db.example;databaseName=shop;password={s3cr3t;s3cr3t}}s3cr3t};encrypt=true",
        "jdbc:sqlserver://db.example;databaseName=shop;keyVaultProviderClientId=id;keyVaultProviderClientKey=s3cr3t",
        "jdbc:sqlserver://db.example;databaseName=shop;keyStoreSecret=s3cr3t;keyStoreAuthentication=JavaKeyStorePassword",
        "jdbc:sqlserver://db.example;databaseName=shop;clientKey=/k;clientKeyPassword=s3cr3t",
        "jdbc:sqlserver://db.example;databaseName=shop;accessToken=s3cr3t",
        "jdbc:sqlserver://db.example;databaseName=shop;socketFactoryConstructorArg=s3cr3t;packetSize=8000",
        "jdbc:sqlserver://db.example;databaseName=shop;trustManagerConstructorArg=s3cr3t;encrypt=strict",
        "jdbc:sqlserver://db.example;databaseName=shop;AADSecurePrincipalSecret=s3cr3t",
        "jdbc:datadirect:sqlserver://db.example:1433;AEKeyStoreClientSecret=s3cr3t=;databaseName=shop",
        "jdbc:jtds:sqlserver://db.example:1433/shop;user=app;password=s3cr3t",
        "jdbc:sybase:Tds:db.example:5000/shop?PASSWORD=s3cr3t&ENCRYPT_PASSWORD=true",
        "jdbc:sybase:Tds:db.example:5000/shop?SQLINITSTRING=set%20role%20x%20with%20passwd%20s3cr3t&CHARSET=utf8",
        // DB2, Informix
        "jdbc:db2://db.example:50000/shop:user=app;password=s3cr3t;",
        "jdbc:db2://db.example:50000/shop:user=app@corp;apiKey=s3cr3t;sslConnection=true;",
        "jdbc:db2://db.example:50000/shop:securityMechanism=15;accessToken=s3cr3t;",
        "jdbc:db2://db.example:50000/shop:currentSchema=A;globalSessionVariables=APP.KEY=s3cr3t;",
        "jdbc:db2://db.example:50000/shop:specialRegisters=ENCRYPTION PASSWORD=s3cr3t;currentSchema=A;",
        "jdbc:informix-sqli://db.example:1526/shop:INFORMIXSERVER=ol;user=app;password=s3cr3t",
        "jdbc:informix-sqli://db.example:1526/shop:INFORMIXSERVER=ol;SECURITY=PASSWORD;IFX_PROXY=s3cr3t",
        // embedded databases
        "jdbc:h2:mem:shop;USER=app;PASSWORD=s3cr3t;MODE=MySQL",
        "jdbc:h2:mem:shop;AUTHREALM=x;AUTHZPWD=s3cr3t;MODE=MySQL",
        "jdbc:h2:file:/db.example/shop;CIPHER=AES;INIT=SET @KEY = 's3cr3t'\\;SELECT 's3cr3t';MODE=MySQL",
        "jdbc:hsqldb:file:shop;crypt_key=s3cr3t;crypt_type=blowfish",
        "jdbc:hsqldb:file:shop;crypt_iv=s3cr3t;crypt_type=AES",
        "jdbc:derby:shop;create=true;dataEncryption=true;bootPassword=s3cr3t",
        "jdbc:derby:shop;newBootPassword=s3cr3t;newEncryptionKey=s3cr3t;territory=de",
        "jdbc:derby:shop;encryptionKey=s3cr3t;encryptionAlgorithm=AES/CBC/NoPadding",
        "jdbc:sqlite:shop.db?cipher=sqlcipher&key=s3cr3t",
        "jdbc:sqlite:shop.db?cipher=chacha20&hexkey=s3cr3t",
        "jdbc:duckdb:md:shop?motherduck_token=s3cr3t",
        "jdbc:duckdb:shop.db;encryption_key=s3cr3t",
        "jdbc:firebirdsql://db.example:3050/shop?user=app&password=s3cr3t",
        "jdbc:firebirdsql://db.example:3050/shop?dbCryptConfig=base64:s3cr3t",
        // warehouses
        "jdbc:redshift:iam://db.example:5439/shop?AccessKeyID=AKIAs3cr3t&SecretAccessKey=s3cr3t&SessionToken=s3cr3t",
        "jdbc:redshift://db.example:5439/shop?plugin_name=x&Client_Secret=s3cr3t&webIdentityToken=s3cr3t",
        "jdbc:snowflake://acme.snowflakecomputing.com/?user=app&db=shop&warehouse=w&private_key_pwd=s3cr3t",
        "jdbc:snowflake://acme.snowflakecomputing.com/?db=shop&authenticator=oauth&token=s3cr3t&passcode=s3cr3t",
        "jdbc:snowflake://acme.snowflakecomputing.com/?db=shop&private_key_base64=s3cr3t&privateKeyPwd=s3cr3t",
        "jdbc:snowflake://acme.snowflakecomputing.com/?db=shop&authenticator=https://app:s3cr3t@okta.example/",
        "jdbc:snowflake://acme.snowflakecomputing.com/?db=shop&proxyHost=app:s3cr3t@proxy&proxyPort=8080",
        "jdbc:databricks://db.example:443/shop;transportMode=http;AuthMech=3;UID=token;PWD=s3cr3t;httpPath=/sql/1",
        "jdbc:databricks://db.example:443;AuthMech=11;Auth_AccessToken=s3cr3t;OAuth2Secret=s3cr3t",
        "jdbc:databricks://db.example:443;AuthMech=11;Auth_JWT_Key_Passphrase=s3cr3t;http.header.X=s3cr3t",
        "jdbc:bigquery://https://db.example/bigquery/v2:443;ProjectId=shop;OAuthType=0;"
                + "OAuthPvtKey={\"type\": \"x\", \"inner\": {\"private_key\": \"--BEGIN KEY--;s3cr3t\"}, \"k\": \"s3cr3t\"}",
        "jdbc:bigquery://https://db.example:443;ProjectId=shop;OAuthRefreshToken=s3cr3t;OAuthClientSecret=s3cr3t",
        "jdbc:bigquery://https://db.example:443;ProjectId=shop;OAuthP12Password=s3cr3t;PartnerToken=s3cr3t",
        "jdbc:clickhouse:http://app:s3cr3t@db.example:8123/shop",
        "jdbc:clickhouse://db.example:8123/shop?custom_http_headers=Authorization=Bearer s3cr3t&ssl=true",
        "jdbc:ch://db.example/shop?access_token=s3cr3t",
        "jdbc:ch://db.example/shop?ssl_key=s3cr3t&sslkey=s3cr3t&ssl_mode=strict",
        "jdbc:ch://db.example/shop?custom_http_params=session=s3cr3t&custom_settings=k='s3cr3t'",
        "jdbc:trino://db.example:443/shop?accessToken=s3cr3t&SSL=true",
        "jdbc:trino://db.example:443/shop?sessionProperties=shop.key:s3cr3t&source=till",
        "jdbc:trino://db.example:443/shop?extraCredentials=k:s3cr3t&SSLKeyStorePassword=s3cr3t",
        "jdbc:sap://db.example:30015/?databaseName=shop&user=app&password=s3cr3t&encrypt=true",
        "jdbc:sap://db.example:30015/?databaseName=shop&authentication=jwt&jwt=s3cr3t&key=s3cr3t",
        "jdbc:sap://db.example:30015/?keyStore=-----BEGIN PRIVATE KEY-----s3cr3t&cseKeyStorePassword=s3cr3t",
        "jdbc:sap://db.example:30015/?webSocketUrl=/x?t=s3cr3t&proxyScpAccount=s3cr3t",
        "jdbc:vertica://db.example:5433/shop?user=app&oauthaccesstoken=s3cr3t&TLSmode=require",
        "jdbc:vertica://db.example:5433/shop?connsettings=SET%20x%20TO%20s3cr3t&workload=w",
        "jdbc:exa:db.example:8563;schema=shop;user=app;password=s3cr3t;refreshtoken=s3cr3t",
        "jdbc:exa:db.example:8563;schema=shop;onconnect=ALTER%20SESSION%20SET%20K%3Ds3cr3t;workertoken=s3cr3t",
        "jdbc:teradata://db.example/DATABASE=shop,USER=app,PASSWORD=s3cr3t,TMODE=ANSI",
        "jdbc:teradata://db.example/DATABASE=shop,LOGMECH=LDAP,LOGDATA=app@@s3cr3t",
        "jdbc:teradata://db.example/DATABASE=shop,HTTPS_PROXY=http://app:s3cr3t@proxy,TMODE=ANSI",
        "jdbc:cassandra://db.example:9042/shop?awsSecretName=s3cr3t&consistency=QUORUM",
        "jdbc:athena://AwsRegion=eu;S3OutputLocation=s3://shop;AccessKey=s3cr3t;SecretKey=s3cr3t;Host=db.example",
        "jdbc:awsathena://db.example:443;AwsCredentialsProviderArguments=s3cr3t,s3cr3t;Schema=shop",
        "jdbc:hive2://db.example:10000/shop;ssl=true;trustStorePassword=s3cr3t?hive.x=s3cr3t#y=s3cr3t",
        "jdbc:cloudspanner:/projects/p/databases/shop?oauthToken=s3cr3t;autocommit=false",
        "jdbc:cloudspanner:/projects/p/databases/shop?encodedCredentials=s3cr3t;numChannels=4",
        "jdbc:mongodb://app:s3cr3t@db.example:27017/shop?tls=true",
        "jdbc:ignite:thin://db.example/shop?sslClientCertificateKeyStorePassword=s3cr3t",
        "jdbc:dremio:direct=db.example:31010;schema=shop;token=s3cr3t",
        "jdbc:neo4j://db.example:7687/shop?authScheme=bearer&authenticationToken=s3cr3t",
        "jdbc:tibero:thin:app/s3cr3t@db.example:8629:shop",
        "jdbc:unheard:of://app:s3cr3t@db.example/shop;new_thing=s3cr3t",
    };

    static Stream<String> urls() {
        return Arrays.stream(URLS);
    }

    @Test
    void thereAreMoreShapesThanThoseThatOnceLeaked() {
        assertThat(URLS.length).isGreaterThan(59);
        assertThat(URLS).allSatisfy(url -> assertThat(url).contains(SECRET)).doesNotHaveDuplicates();
    }

    /** Takes every url, and fails with a message that quotes it. */
    public static final class QuotingDriver extends DenyingDriver {
        @Override
        public boolean acceptsURL(String url) {
            return true;
        }

        @Override
        public Connection connect(String url, Properties info) throws SQLException {
            throw new SQLException("cannot parse '" + url + "', nor s3cr3t", "08001", new IOException("in " + url));
        }
    }

    private static PoolConfig.Builder quoting(String url) {
        return PoolConfig.builder()
                .url(url)
                .driverClassName(QuotingDriver.class.getName())
                .connectionTimeout(Duration.ofMillis(20))
                .initializationFailTimeout(Duration.ofMillis(-1));
    }

    private static String trace(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return trace.toString();
    }

    @ParameterizedTest
    @MethodSource("urls")
    void noSecretOfAUrlIsInAnythingThatThePoolSays(String url) {
        PoolConfig config = quoting(url).registerMbeans(false).build();
        StringBuilder said = new StringBuilder();
        said.append(config).append('\n').append(config.values()).append('\n');
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = new WeirDataSource(config)) {
            Await.await("a user is told why", LIMIT, () -> {
                said.append(trace(catchThrowable(pool::getConnection)));
                return said.indexOf("cannot parse") >= 0;
            });
            Await.await(
                    "it is logged",
                    LIMIT,
                    () -> log.text().contains("could not open") && log.text().contains("started"));
            said.append(log.text())
                    .append(pool)
                    .append(pool.stats())
                    .append(pool.dump())
                    .append(pool.openFailures());
        }
        Settings settings = Configured.settings(config, "urls");
        said.append(settings.redacted("the driver quotes " + url + ", all of it"))
                .append('\n');
        said.append(Redactor.redact("somebody quotes (" + urlAsOneWord(url) + ") in a text"))
                .append('\n');
        assertThat(said.toString().replace("nor s3cr3t", "")).doesNotContain(SECRET);
        if (url.contains("db.example") && !url.contains("?s3cr3t@")) {
            assertThat(Redactor.redactUrl(url)).as("the host is shown").contains("db.example");
        }
        assertThat(Redactor.redactUrl(url))
                .startsWith(url.substring(0, url.indexOf(':', 5)))
                .contains("***");
    }

    /** The URL without spaces: in a text, a space alone ends a URL that is not this pool's. */
    private static String urlAsOneWord(String url) {
        return url.replace(' ', '+');
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db.example:5432/shop?user=app&ApplicationName=till&sslmode=verify-full&currentSchema=a,b",
                "jdbc:postgresql://db1.example:5432,db2.example:5433/shop?targetServerType=primary&loadBalanceHosts=true",
                "jdbc:yugabytedb://db.example:5433/shop?load-balance=any&topology-keys=aws.eu-1.eu-1a:1,aws.eu-1.eu-1b:2",
                "jdbc:postgresql:///shop?cloudSqlInstance=p:eu-1:shop&ipTypes=PRIVATE&socketFactory=x.SocketFactory",
                "jdbc:aws-wrapper:postgresql://db.example/shop?wrapperPlugins=failover,efm2&failoverTimeoutMs=60000",
                "jdbc:postgresql://[::1]:5432/shop?user=app@corp&tcpKeepAlive=true&unheardOf=true",
                "jdbc:mysql://db.example:3306/shop?useSSL=true&serverTimezone=Europe/Berlin&cachePrepStmts=true",
                "jdbc:mysql://(host=db.example,port=3306,user=app)/shop?useSSL=true",
                "jdbc:mariadb://db.example/shop?sslMode=verify-full",
                "jdbc:oracle:thin:@//db.example:1521/shop",
                "jdbc:oracle:thin:@db.example:1521:shop",
                "jdbc:oracle:thin:@tcps://db.example:2484/shop?connect_timeout=5&retry_count=3&expire_time=1",
                "jdbc:jtds:sqlserver://db.example:1433/shop;appName=till;domain=CORP;socketTimeout=30",
                "jdbc:sqlserver://db.example;databaseName=shop;authentication=ActiveDirectoryDefault;connectRetryCount=3",
                "jdbc:oracle:thin:@shop_high?TNS_ADMIN=/etc/oracle",
                "jdbc:oracle:thin:@(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST=db.example)(PORT=1521))"
                        + "(CONNECT_DATA=(SERVICE_NAME=shop)))",
                "jdbc:sqlserver://db.example\\inst:1433;databaseName=shop;user=app@corp;encrypt=true;trustServerCertificate=false",
                "jdbc:db2://db.example:50000/shop:currentSchema=A;blockingReadConnectionTimeout=30;sslVersion=TLSv1.3;",
                "jdbc:clickhouse:http://db.example:8123/shop?socket_timeout=30000&compress_algorithm=lz4&ssl_mode=strict",
                "jdbc:snowflake://acme.snowflakecomputing.com/?account=acme&authenticator=https://acme.okta.com",
                "jdbc:vertica://db.example:5433/shop?TLSmode=require&loginTimeout=5&sessionLabel=till",
                "jdbc:teradata://db.example/DATABASE=shop,LOGMECH=LDAP,SSLMODE=VERIFY-FULL,CHARSET=UTF8",
                "jdbc:cassandra://db.example:9042/shop?localDatacenter=dc1&consistency=QUORUM&requestTimeout=5000",
                "jdbc:db2://db.example:50000/shop:user=app;sslConnection=true;",
                "jdbc:informix-sqli://db.example:1526/shop:INFORMIXSERVER=ol",
                "jdbc:h2:mem:shop;MODE=MySQL;DB_CLOSE_DELAY=-1",
                "jdbc:h2:file:/var/db/shop;CIPHER=AES",
                "jdbc:hsqldb:hsql://db.example/shop",
                "jdbc:derby:shop;create=true",
                "jdbc:sqlite:/var/db/shop.db?journal_mode=WAL",
                "jdbc:redshift://db.example:5439/shop?ssl=true",
                "jdbc:snowflake://acme.snowflakecomputing.com/?db=shop&schema=s&warehouse=w&role=r",
                "jdbc:databricks://db.example:443/shop;transportMode=http;ssl=true;httpPath=/sql/1.0/warehouses/ab",
                "jdbc:bigquery://https://db.example/bigquery/v2:443;ProjectId=shop;OAuthType=3",
                "jdbc:clickhouse:http://db.example:8123/shop?compress=true",
                "jdbc:trino://db.example:443/shop/sales?user=app&SSL=true",
                "jdbc:sap://db.example:30015/?databaseName=shop&encrypt=true",
                "jdbc:teradata://db.example/DATABASE=shop,USER=app,TMODE=ANSI",
                "jdbc:exa:10.0.0.1..4:8563;schema=shop",
                "jdbc:tc:postgresql:16:///shop",
                "jdbc:firebirdsql://db.example:3050//var/db/shop.fdb?charSet=utf-8"
            })
    void aUrlWithoutSecretsIsShownAsItIs(String url) {
        assertThat(Redactor.redactUrl(url)).isEqualTo(url);
        assertThat(Redactor.secretsOf(url)).isEmpty();
        assertThat(Redactor.redact("at (" + url + "), it says")).isEqualTo("at (" + url + "), it says");
    }

    /** A driver may take the quote or brace for a part of the password. */
    @Test
    void aSecretThatBeginsLikeAQuotedOneIsKnownWhole() {
        assertThat(Redactor.secretsOf("jdbc:postgresql://db.example/shop?password={secret"))
                .containsExactly("{secret");
        assertThat(Redactor.secretsOf("jdbc:sqlserver://db.example;password={secret};user=app"))
                .containsExactly("secret");
    }

    @Test
    void whatHidesASecretShowsTheRest() {
        assertThat(Redactor.redactUrl(URLS[0]))
                .isEqualTo("jdbc:postgresql://db.example:5432/shop?user=app&password=***&ApplicationName=till");
        assertThat(Redactor.redactUrl(URLS[1]))
                .isEqualTo("jdbc:postgresql://app:***@db.example:5432/shop?sslmode=verify-full");
        assertThat(Redactor.redactUrl("jdbc:sqlserver://h;databaseName=shop;password={a;b}}c};encrypt=true"))
                .isEqualTo("jdbc:sqlserver://h;databaseName=shop;password=***;encrypt=true");
        assertThat(Redactor.redactUrl("jdbc:mysql://address=(host=h)(password=x)/shop?useSSL=true"))
                .isEqualTo("jdbc:mysql://address=(host=h)(password=***)/shop?useSSL=true");
    }

    @Test
    void propertiesOfTheDriverAreShownIfTheyAreKnownToBeHarmless() {
        PoolConfig config = PoolConfig.builder()
                .url("jdbc:postgresql://db.example/shop")
                .dataSourceProperty("prepareThreshold", 3)
                .dataSourceProperty("unheardOfFlag", true)
                .dataSourceProperty("crypt_key", "s3cr3t-key")
                .dataSourceProperty("new_thing", "s3cr3t-thing")
                .build();
        assertThat(config.toString())
                .contains("prepareThreshold=3", "unheardOfFlag=true", "crypt_key=***", "new_thing=***")
                .doesNotContain(SECRET);
        Settings settings = Configured.settings(config, "properties");
        assertThat(settings.redacted("the driver refuses s3cr3t-key and s3cr3t-thing"))
                .doesNotContain(SECRET);
    }

    @Test
    void noAttributeOfTheMBeanShowsASecretOfTheUrl() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try (WeirDataSource pool = new WeirDataSource(quoting("jdbc:h2:mem:secrets;NEW_THING=s3cr3t;PASSWORD=s3cr3t")
                .poolName("jmx-of-urls")
                .registerMbeans(true)
                .build())) {
            pool.start();
            assertThat(catchThrowable(pool::getConnection)).isNotNull();
            Set<ObjectName> names = server.queryNames(new ObjectName("*:*,name=*jmx-of-urls*"), null);
            assertThat(names).isNotEmpty();
            for (ObjectName name : names) {
                for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                    assertThat(String.valueOf(server.getAttribute(name, attribute.getName()))
                                    .replace("nor s3cr3t", ""))
                            .as(attribute.getName())
                            .doesNotContain(SECRET);
                }
            }
        }
    }

    @Test
    void theListOfHarmlessNamesNamesNoSecret() {
        for (String name : List.of(
                "password",
                "token",
                "key",
                "options",
                "init",
                "sslkey",
                "keystore",
                "jwt",
                "headers",
                "logdata",
                "connsettings",
                "onconnect",
                "wallet_location",
                "sessionproperties",
                "specialregisters")) {
            assertThat(HarmlessNames.contains(name)).as(name).isFalse();
        }
    }
}
