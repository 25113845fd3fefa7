package dev.weir.cli.tune;

import java.util.LinkedHashMap;
import java.util.Map;

/** The answer in the words of what reads it. */
final class Settings {
    private Settings() {}

    /** Returns text to paste, by where it goes; none where there is not enough to go by. */
    static Map<String, String> of(Advice advice) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (!advice.isFitted()) {
            return texts;
        }
        int size = advice.size();
        texts.put("Properties", "maximumPoolSize=" + size + "\n");
        texts.put("Spring Boot (application.properties)", "spring.datasource.weir.maximum-pool-size=" + size + "\n");
        texts.put("Dropwizard (YAML)", "database:\n  maximumPoolSize: " + size + "\n");
        return texts;
    }
}
