package dev.weir.console;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.weir.console.Console.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a servlet and the command's server have in common: it lets in whoever has the token, and hands over what is asked.
 *
 * <p>A page of another site that the same browser shows cannot act. It does not have the token, which no cookie carries. Where
 * the application guards the path instead, the browser may add what it has been given for that; but a POST must have the type
 * {@code application/json}, for which a browser first asks with OPTIONS, and is refused; and it must come from the page's own
 * origin. What a GET answers cannot be read by another site, and a GET changes nothing. Thread-safe.
 */
final class Door {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Set<String> DATA = Set.of("look", "dump");
    private static final int MOST_BYTES = 16 * 1024;
    private static final String SCHEME = "Bearer ";

    /** Of HTTP, by whatever server. */
    interface Request {
        String method();

        /** Returns what stands after the address of the page. */
        String name();

        /** Returns the part after the question mark, as it was sent. */
        @Nullable
        String query();

        @Nullable
        String header(String name);

        InputStream body() throws IOException;

        /** Returns whose it is, as the log is to say it. */
        String who();
    }

    private final Console console;
    private final byte @Nullable [] token;

    /** {@code token}: null where the application guards the path itself. */
    Door(Console console, @Nullable String token) {
        if (token != null && !token.matches("[A-Za-z0-9._~+/-]{22,}=*")) {
            throw new IllegalArgumentException("token: " + token.length()
                    + " characters (expected: at least 22, each of A-Z a-z 0-9 - . _ ~ + /)");
        }
        this.console = console;
        this.token = token == null ? null : bytes(token);
    }

    Answer answer(Request request) throws IOException {
        return switch (request.method()) {
            case "GET", "HEAD" ->
                DATA.contains(request.name()) && !hasToken(request)
                        ? unknown()
                        : console.get(request.name(), parameters(request.query()));
            case "POST" -> hasToken(request) ? post(request) : unknown();
            default -> Console.error(405, request.method() + " is not understood here");
        };
    }

    /** Returns what an answer carries beside its type and length. */
    static Map<String, String> headers(Answer answer) {
        Map<String, String> headers = new LinkedHashMap<>(Console.headers());
        if (answer.status() == 401) {
            headers.put("WWW-Authenticate", "Bearer");
        } else if (answer.status() == 405) {
            headers.put("Allow", "GET, HEAD, POST");
        }
        return headers;
    }

    private static Answer unknown() {
        return Console.error(401, "the token is missing or wrong");
    }

    /** Takes as long for a token that begins right as for any other. */
    private boolean hasToken(Request request) {
        if (token == null) {
            return true;
        }
        String given = request.header("Authorization");
        return given != null
                && given.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && MessageDigest.isEqual(bytes(given.substring(SCHEME.length())), token);
    }

    private Answer post(Request request) throws IOException {
        String type = request.header("Content-Type");
        if (type == null
                || !type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT).equals("application/json")) {
            return Console.error(415, "Content-Type: " + type + " (expected: application/json)");
        }
        if (isForeign(request)) {
            return Console.error(
                    403,
                    "a page of another site asks: " + request.header("Origin") + ", here is "
                            + request.header("Host")
                            + ". A proxy in between has to keep Host, or to send X-Forwarded-Host");
        }
        byte[] sent = request.body().readNBytes(MOST_BYTES + 1);
        if (sent.length > MOST_BYTES) {
            return Console.error(413, "more than " + MOST_BYTES + " bytes");
        }
        Map<String, String> body = new HashMap<>();
        try {
            JsonNode tree = MAPPER.readTree(sent);
            for (Map.Entry<String, JsonNode> entry : tree.properties()) {
                body.put(entry.getKey(), entry.getValue().asText());
            }
        } catch (JacksonException e) {
            return Console.error(400, "the body is no JSON object");
        }
        return console.post(request.name(), body, request.who());
    }

    /**
     * By what the browser says of the two, which no proxy changes, and which it leaves out without HTTPS; else by their names. A
     * proxy may say in X-Forwarded-Host, which no page can send without being asked first, what it was called. A program that is
     * no browser sends neither.
     */
    private static boolean isForeign(Request request) {
        String site = request.header("Sec-Fetch-Site");
        String origin = request.header("Origin");
        if (site != null) {
            return !site.equals("same-origin");
        }
        try {
            String asks =
                    origin == null ? null : String.valueOf(URI.create(origin).getRawAuthority());
            return asks != null
                    && !asks.equalsIgnoreCase(request.header("Host"))
                    && !asks.equalsIgnoreCase(request.header("X-Forwarded-Host"));
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    private static Map<String, String> parameters(@Nullable String query) {
        Map<String, String> parameters = new HashMap<>();
        for (String one : query == null ? new String[0] : query.split("&", -1)) {
            String[] parts = one.split("=", 2);
            if (parts.length == 2) {
                try {
                    parameters.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
                } catch (IllegalArgumentException e) {
                    // no text in the encoding of addresses: as if it were not there
                }
            }
        }
        return parameters;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
