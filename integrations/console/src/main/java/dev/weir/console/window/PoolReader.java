package dev.weir.console.window;

import dev.weir.PoolConfig;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.MalformedURLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import javax.management.Attribute;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jspecify.annotations.Nullable;

/** The pools of one JVM, over JMX. Reads and acts for one thread at a time. */
public final class PoolReader implements Closeable {
    /** Else a JVM that stands still stops whoever looks at it: the second, for a minute, once the first is over. */
    private static final List<String> TIMEOUTS =
            List.of("sun.rmi.transport.tcp.responseTimeout", "sun.rmi.transport.tcp.handshakeTimeout");

    private static final String TIMEOUT_MILLIS = "5000";

    private static final long CLOSE_MILLIS = 1_000;

    private interface Opener {
        JMXConnector open() throws WindowFailure;
    }

    /** Null for this very JVM. */
    private final @Nullable Opener opener;

    /** The process, if it is one of this machine. */
    private final @Nullable ProcessHandle process;

    /** Null after a failure: the next look connects again. Volatile for {@link #close}, by another thread. */
    private volatile @Nullable JMXConnector connector;

    private PoolReader(@Nullable Opener opener, @Nullable ProcessHandle process, @Nullable JMXConnector connector) {
        this.opener = opener;
        this.process = process;
        this.connector = connector;
    }

    /** Returns the pools of this JVM itself. It opens nothing. */
    public static PoolReader ofThisJvm() {
        return new PoolReader(null, null, null);
    }

    /**
     * Attaches to a JVM of this machine and user.
     *
     * @throws WindowFailure if that is not possible
     */
    public static PoolReader attach(long id) throws WindowFailure {
        Opener opener = () -> open(Jvms.startAgent(id), Map.of());
        return new PoolReader(opener, ProcessHandle.of(id).orElse(null), opener.open());
    }

    /**
     * Connects to a JMX agent.
     *
     * @param url as {@code service:jmx:...}, or host and port of an RMI registry
     * @throws WindowFailure if nothing answers there, or it refuses
     */
    public static PoolReader connect(String url, @Nullable String user, @Nullable String password)
            throws WindowFailure {
        String full = url.startsWith("service:jmx:") ? url : "service:jmx:rmi:///jndi/rmi://" + url + "/jmxrmi";
        Map<String, Object> environment = new HashMap<>();
        if (user != null) {
            environment.put(JMXConnector.CREDENTIALS, new String[] {user, Objects.requireNonNullElse(password, "")});
        }
        Opener opener = () -> open(full, environment);
        return new PoolReader(opener, null, opener.open());
    }

    @SuppressWarnings("BanJNDI") // to the agent that the user names
    private static JMXConnector open(String url, Map<String, Object> environment) throws WindowFailure {
        TIMEOUTS.stream()
                .filter(timeout -> System.getProperty(timeout) == null)
                .forEach(timeout -> System.setProperty(timeout, TIMEOUT_MILLIS));
        try {
            return JMXConnectorFactory.connect(new JMXServiceURL(url), environment);
        } catch (MalformedURLException e) { // or no provider of its protocol, which is a module of the JDK
            throw new WindowFailure(
                    ModuleLayer.boot().findModule("java.management.rmi").isPresent()
                            ? url + ": no PID and no JMX URL (expected: 4711, host:9010 or"
                                    + " service:jmx:rmi:///jndi/rmi://...)"
                            : "this runtime lacks the module java.management.rmi: run weir on a JDK",
                    e);
        } catch (IOException | SecurityException e) {
            throw new WindowFailure(url + ": cannot connect: " + e.getMessage(), e);
        }
    }

    /** Whether it was a process of this machine, and has ended. */
    public boolean isGone() {
        return process != null && !process.isAlive();
    }

    /** Returns what completes when a process of this machine has ended; never for another. */
    public CompletableFuture<?> ended() {
        return process == null ? new CompletableFuture<>() : process.onExit();
    }

    private MBeanServerConnection jvm() throws IOException {
        if (opener == null) {
            return ManagementFactory.getPlatformMBeanServer();
        }
        try {
            JMXConnector known = connector;
            JMXConnector open = known == null ? opener.open() : known;
            connector = open;
            return open.getMBeanServerConnection();
        } catch (WindowFailure e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** What one pool tells, as JMX tells it. */
    record Look(
            String pool,
            long atMillis,
            long upMillis,
            Map<String, Object> values,
            Map<String, Object> settings,
            boolean told,
            List<CompositeData> holders,
            List<CompositeData> waiters,
            List<CompositeData> failures) {}

    /**
     * Returns what each pool tells now, in the order of their names.
     *
     * @param most so many holders and waiters of each, the longest first
     * @throws IOException if the JVM has ended or cannot be reached
     */
    List<Look> look(int most) throws IOException {
        try {
            ObjectName runtime = new ObjectName("java.lang:type=Runtime");
            List<Look> looks = new ArrayList<>();
            for (ObjectName name : jvm().queryNames(new ObjectName("dev.weir:type=Pool,*"), null)) {
                Map<String, Object> time = values(runtime, "StartTime", "Uptime");
                long up = (long) Objects.requireNonNull(time.get("Uptime"));
                long start = (long) Objects.requireNonNull(time.get("StartTime"));
                try {
                    Map<String, Object> values = new TreeMap<>();
                    Map<String, Object> settings = new TreeMap<>();
                    read(name, values, settings);
                    looks.add(look(name, start + up, up, values, settings, most));
                } catch (InstanceNotFoundException e) {
                    // it was closed meanwhile
                }
            }
            looks.sort(Comparator.comparing(Look::pool));
            return looks;
        } catch (IOException e) {
            drop();
            throw e;
        } catch (JMException | RuntimeMBeanException e) {
            throw new IOException("what the JVM's pools answer is not understood: " + e, e);
        }
    }

    private Look look(
            ObjectName name, long at, long up, Map<String, Object> values, Map<String, Object> settings, int most)
            throws JMException, IOException {
        String pool = String.valueOf(values.get("PoolName"));
        try {
            List<CompositeData> holders = list(name, "holders", most);
            List<CompositeData> waiters = list(name, "waiters", most);
            return new Look(pool, at, up, values, settings, true, holders, waiters, list(name, "recentFailures"));
        } catch (SecurityException e) { // a user that may only read attributes
            return new Look(pool, at, up, values, settings, false, List.of(), List.of(), List.of());
        }
    }

    /** The settings are what can be written. */
    private void read(ObjectName name, Map<String, Object> values, Map<String, Object> settings)
            throws JMException, IOException {
        MBeanAttributeInfo[] attributes = jvm().getMBeanInfo(name).getAttributes();
        values.putAll(values(
                name, Arrays.stream(attributes).map(MBeanAttributeInfo::getName).toArray(String[]::new)));
        for (MBeanAttributeInfo one : attributes) {
            Object value = values.get(one.getName());
            if (one.isWritable() && value != null) {
                settings.put(
                        Character.toLowerCase(one.getName().charAt(0))
                                + one.getName().substring(1),
                        value);
            }
        }
    }

    private Map<String, Object> values(ObjectName name, String... attributes) throws JMException, IOException {
        Map<String, Object> values = new TreeMap<>();
        for (Attribute one : jvm().getAttributes(name, attributes).asList()) {
            if (one.getValue() != null) {
                values.put(one.getName(), one.getValue());
            }
        }
        return values;
    }

    private List<CompositeData> list(ObjectName name, String operation, Integer... arguments)
            throws JMException, IOException {
        String[] types = new String[arguments.length];
        Arrays.fill(types, "int");
        return List.of((CompositeData[]) jvm().invoke(name, operation, arguments, types));
    }

    /**
     * Calls an operation without arguments, such as {@code evictIdle}.
     *
     * @return what it gives back, as text
     * @throws IOException if it failed; the message says why
     */
    public String act(String pool, String operation) throws IOException {
        try {
            Object answer = jvm().invoke(find(pool), operation, new Object[0], new String[0]);
            return answer == null ? "" : answer.toString();
        } catch (JMException | RuntimeMBeanException | SecurityException e) {
            throw new IOException(reason(e), e);
        }
    }

    /**
     * Changes a setting of a running pool.
     *
     * @param value an Integer, a Long of milliseconds or a Boolean, as the setting is
     * @throws IOException if the pool refuses it; the message says why
     */
    public void change(String pool, String setting, Object value) throws IOException {
        try {
            jvm().setAttribute(
                            find(pool),
                            new Attribute(Character.toUpperCase(setting.charAt(0)) + setting.substring(1), value));
        } catch (JMException | RuntimeMBeanException | SecurityException e) {
            throw new IOException(reason(e), e);
        }
    }

    /**
     * Reads what somebody typed as a value of a setting.
     *
     * @param now what the setting has: an Integer, a Long of milliseconds or a Boolean
     * @param text a number, true or false; for a Long a time as the settings of the pool have it, {@code 90s}, or milliseconds
     * @throws IllegalArgumentException if it is none; the message says what is expected
     */
    public static Object value(String setting, Object now, String text) {
        if (now instanceof Long) {
            // A setting that takes any time but a negative one reads it.
            PoolConfig.Builder time = PoolConfig.builder().url("jdbc:any:").property("closeTimeout", text);
            if (time.faults().isEmpty()) {
                return time.build().closeTimeout().toMillis();
            }
            throw new IllegalArgumentException(
                    setting + ": '" + text + "' (expected: a time, such as 500ms, 90s or 5m)");
        }
        if (now instanceof Integer && text.matches("-?\\d{1,9}")) {
            return Integer.valueOf(text);
        }
        if (now instanceof Boolean && text.matches("true|false")) {
            return Boolean.valueOf(text);
        }
        throw new IllegalArgumentException(
                setting + ": '" + text + "' (expected: " + (now instanceof Integer ? "a number)" : "true or false)"));
    }

    private ObjectName find(String pool) throws JMException, IOException {
        for (ObjectName name : jvm().queryNames(new ObjectName("dev.weir:type=Pool,*"), null)) {
            String key = name.getKeyProperty("name");
            if (pool.equals(key.startsWith("\"") ? ObjectName.unquote(key) : key)) {
                return name;
            }
        }
        throw new InstanceNotFoundException("pool '" + pool + "' is not there any more");
    }

    private static String reason(Exception failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    /** A JVM that stands still does not answer a close() either: a thread of its own waits for that. Null if nothing is open. */
    private @Nullable Thread drop() {
        JMXConnector open = connector;
        connector = null;
        if (open == null) {
            return null;
        }
        Thread closing = new Thread(
                () -> {
                    try {
                        open.close();
                    } catch (IOException e) {
                        // it has gone already
                    }
                },
                "weir-window-close");
        closing.setDaemon(true);
        closing.start();
        return closing;
    }

    @Override
    public void close() {
        Thread closing = drop();
        try {
            if (closing != null) {
                closing.join(CLOSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
