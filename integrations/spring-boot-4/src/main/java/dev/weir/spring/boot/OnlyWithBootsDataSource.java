package dev.weir.spring.boot;

import java.util.Arrays;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;

/** An application that excludes Spring Boot's DataSource wants none, and not another one; who imports ours alone wants it. */
final class OnlyWithBootsDataSource implements AutoConfigurationImportFilter {
    private static final String OURS = WeirAutoConfiguration.class.getName();
    private static final String BOOTS = DataSourceAutoConfiguration.class.getName();

    @Override
    public boolean[] match(String[] candidates, AutoConfigurationMetadata metadata) {
        boolean wanted = candidates.length == 1 || Arrays.asList(candidates).contains(BOOTS);
        boolean[] match = new boolean[candidates.length];
        for (int i = 0; i < candidates.length; i++) {
            match[i] = wanted || !OURS.equals(candidates[i]);
        }
        return match;
    }
}
