package dev.weir.spring.boot;

import dev.weir.console.Console;
import java.security.Principal;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.util.MimeType;

/**
 * {@code /actuator/weirconsole}: the live page. It is as guarded as the application's other endpoints are, and acts and changes
 * settings if {@code management.endpoint.weirconsole.access} is {@code unrestricted}, which it is not by default.
 */
@WebEndpoint(id = WeirConsoleEndpoint.ID, defaultAccess = Access.READ_ONLY)
class WeirConsoleEndpoint {
    static final String ID = "weirconsole";

    /** The type is the answer's own; a browser asks for scripts, styles and pages by different ones. */
    private static final String ANY_TYPE = "*/*";

    private final Console console;
    private final String base;

    /** {@code base}: the last part of the page's address, where that does not end in a slash. */
    WeirConsoleEndpoint(Console console, String base) {
        this.console = console;
        this.base = base;
    }

    @ReadOperation(produces = ANY_TYPE)
    WebEndpointResponse<byte[]> page() {
        return answer(console.get("", Map.of("base", base)));
    }

    /** {@code path}: empty where the address of the page ends in a slash. */
    @ReadOperation(produces = ANY_TYPE)
    WebEndpointResponse<byte[]> get(@Selector(match = Match.ALL_REMAINING) String[] path, @Nullable String pool) {
        return answer(console.get(String.join("/", path), pool == null ? Map.of() : Map.of("pool", pool)));
    }

    /** Takes JSON alone, as each write operation with a body does: no page of another origin can send that. */
    @WriteOperation(produces = ANY_TYPE)
    WebEndpointResponse<byte[]> post(
            SecurityContext security,
            @Selector(match = Match.ALL_REMAINING) String[] path,
            @Nullable String pool,
            @Nullable String operation,
            @Nullable String setting,
            @Nullable String value) {
        Map<String, @Nullable String> body = new HashMap<>();
        body.put("pool", pool);
        body.put("operation", operation);
        body.put("setting", setting);
        body.put("value", value);
        body.values().removeIf(one -> one == null);
        Principal principal = security.getPrincipal();
        return answer(
                console.post(String.join("/", path), body, principal == null ? "anonymous" : principal.getName()));
    }

    private static WebEndpointResponse<byte[]> answer(Console.Answer answer) {
        return new WebEndpointResponse<>(answer.body(), answer.status(), MimeType.valueOf(answer.contentType()));
    }
}
