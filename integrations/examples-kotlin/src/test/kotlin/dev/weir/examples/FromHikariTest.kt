package dev.weir.examples

import dev.weir.WeirDataSource
import java.time.Duration
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

class FromHikariTest {
    @Test
    fun `properties that have another name or type in Kotlin than HikariCP's are those that the page names`() {
        WeirDataSource().apply {
            url = "jdbc:h2:mem:kotlin" // jdbcUrl
            autoCommit = false // isAutoCommit
            readOnly = true // isReadOnly
            isRegisterMbeans = false
            setConnectionTimeout(30_000) // connectionTimeout = 30_000
            driverClassName = "org.h2.Driver"
            username = "sa"
            password = ""
            poolName = "kotlin"
            maximumPoolSize = 3
            minimumIdle = 1
            transactionIsolation = "TRANSACTION_REPEATABLE_READ"
            addDataSourceProperty("MODE", "MySQL")
        }.use { pool ->
            val config = pool.config()
            assertThat(config.url()).isEqualTo("jdbc:h2:mem:kotlin")
            assertThat(config.autoCommit()).isFalse()
            assertThat(config.connectionTimeout()).isEqualTo(Duration.ofSeconds(30))
            assertThat(config.maximumPoolSize()).isEqualTo(3)
        }
    }
}
