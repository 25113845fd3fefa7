package dev.weir.examples

import dev.weir.PoolConfig
import dev.weir.WeirDataSource
import io.ktor.client.request.get
import io.ktor.client.statement.bodyAsText
import io.ktor.server.application.Application
import io.ktor.server.application.ApplicationStopped
import io.ktor.server.response.respondText
import io.ktor.server.routing.get
import io.ktor.server.routing.routing
import io.ktor.server.testing.testApplication
import javax.sql.DataSource
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.jetbrains.exposed.sql.Database
import org.jetbrains.exposed.sql.SchemaUtils
import org.jetbrains.exposed.sql.Table
import org.jetbrains.exposed.sql.insert
import org.jetbrains.exposed.sql.selectAll
import org.jetbrains.exposed.sql.transactions.transaction
import org.junit.jupiter.api.Test

private object Ships : Table("ship") {
    val name = varchar("name", 40)
}

// snippet:ktor
/** A pool that ends with the application. */
fun Application.pool(): WeirDataSource {
    val config = PoolConfig.builder()
        .url("jdbc:h2:mem:ktor")
        .username("sa")
        .password("")
        .maximumPoolSize(20)
        .build()
    val pool = WeirDataSource(config)
    monitor.subscribe(ApplicationStopped) { pool.close() }
    return pool
}
// snippet:end

class KtorTest {
    @Test
    fun `a request runs in a transaction of Exposed, on a connection of the pool`() {
        lateinit var pool: WeirDataSource
        testApplication {
            application {
                pool = pool()
                val dataSource: DataSource = pool
                // snippet:exposed
                val database = Database.connect(dataSource)
                routing {
                    get("/ships") {
                        val ships = withContext(Dispatchers.IO) { // JDBC blocks its thread
                            transaction(database) { Ships.selectAll().map { it[Ships.name] } }
                        }
                        call.respondText(ships.joinToString())
                    }
                }
                // snippet:end
                transaction(database) {
                    SchemaUtils.create(Ships)
                    Ships.insert { it[name] = "Vasa" }
                }
            }
            assertThat(client.get("/ships").bodyAsText()).isEqualTo("Vasa")
            assertThat(pool.stats().acquired()).isGreaterThanOrEqualTo(2)
            assertThat(pool.stats().inUse()).isZero()
        }
        assertThat(pool.isClosed).isTrue()
    }
}
