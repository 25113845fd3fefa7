package dev.weir.lab.battle.shop;

import jakarta.persistence.EntityManagerFactory;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** The wiring, as Spring's guide has it; the data source is the pool under comparison. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement
class ShopConfiguration {
    @Bean
    LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(dataSource);
        factory.setPackagesToScan(Shop.class.getPackageName());
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setJpaPropertyMap(Map.of(
                "hibernate.id.optimizer.pooled.preferred",
                "pooled-lo",
                "hibernate.jdbc.batch_size",
                "20",
                "hibernate.order_inserts",
                "true"));
        return factory;
    }

    @Bean
    PlatformTransactionManager transactionManager(EntityManagerFactory entities) {
        return new JpaTransactionManager(entities);
    }

    @Bean
    Shop shop(Downstream downstream) {
        return new Shop(downstream);
    }
}
