package dev.weir.cli.tune;

import java.util.LinkedHashMap;
import java.util.Map;

/** The answer in the words of what reads it. */
final class Settings {
    private Settings() {}

    /** Returns text to paste, by where it goes. */
    static Map<String, String> of(int size) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("Properties", "maximumPoolSize=" + size + "\n");
        texts.put("Spring Boot (application.properties)", "spring.datasource.weir.maximum-pool-size=" + size + "\n");
        texts.put("Dropwizard (YAML)", "database:\n  maximumPoolSize: " + size + "\n");
        return texts;
    }
}
