package dev.weir.console;

import dev.weir.console.Console.Answer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The live page of this JVM's pools as a servlet, to be mapped to a path and all below it: {@code /weir/*}. It is read-only
 * unless it is made writable; what is then done is logged at INFO by {@code dev.weir.console}, with the remote user, or "token",
 * and the remote address. Thread-safe.
 */
public final class ConsoleServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    /** Not serializable, as nothing that it shows is. */
    @SuppressWarnings("serial")
    private final transient Door door;

    private final boolean guarded;

    private ConsoleServlet(Door door, boolean guarded) {
        this.door = door;
        this.guarded = guarded;
    }

    /**
     * Makes a servlet that shows data to whoever knows a token. The page asks for it, or takes it from the end of its own address:
     * {@code https://.../weir/#token=...}, which a browser does not send.
     *
     * @param token at least 22 characters of base64, made at random: 128 bits
     * @param writable whether connections may be evicted, pools suspended and settings changed
     * @throws IllegalArgumentException if the token is shorter, or has other characters
     */
    public static ConsoleServlet withToken(String token, boolean writable) {
        return new ConsoleServlet(new Door(Console.ofThisJvm(writable), Objects.requireNonNull(token)), false);
    }

    /**
     * Makes a servlet that shows all to everybody who reaches its path: for an application that lets nobody reach it but those
     * who may.
     *
     * @param writable whether connections may be evicted, pools suspended and settings changed
     */
    public static ConsoleServlet guarded(boolean writable) {
        return new ConsoleServlet(new Door(Console.ofThisJvm(writable), null), true);
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getPathInfo();
        if (path == null) {
            Console.headers().forEach(response::setHeader);
            response.setHeader("Location", withSlash(request.getRequestURI()));
            response.setStatus(HttpServletResponse.SC_FOUND);
            return;
        }
        Answer answer = door.answer(new Asked(request, path.substring(1), guarded));
        Door.headers(answer).forEach(response::setHeader);
        response.setStatus(answer.status());
        response.setContentType(answer.contentType());
        response.setContentLength(answer.body().length);
        if (!request.getMethod().equals("HEAD")) {
            response.getOutputStream().write(answer.body());
        }
    }

    /** Relative, as a proxy may have another name and prefix for this path. The dot keeps a colon from ending a scheme. */
    private static String withSlash(String address) {
        String path = address.replaceFirst(";.*", "");
        return "./" + path.substring(path.lastIndexOf('/') + 1) + "/";
    }

    private record Asked(HttpServletRequest request, String name, boolean guarded) implements Door.Request {
        @Override
        public String method() {
            return request.getMethod();
        }

        @Override
        public @Nullable String query() {
            return request.getQueryString();
        }

        @Override
        public @Nullable String header(String name) {
            return request.getHeader(name);
        }

        @Override
        public InputStream body() throws IOException {
            return request.getInputStream();
        }

        @Override
        public String who() {
            String user = request.getRemoteUser();
            return (user != null ? user : guarded ? "somebody" : "token") + " at " + request.getRemoteAddr();
        }
    }
}
