package dev.weir;

import java.util.Collections;
import java.util.Hashtable;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import javax.naming.Context;
import javax.naming.Name;
import javax.naming.NamingException;
import javax.naming.RefAddr;
import javax.naming.Reference;
import javax.naming.spi.ObjectFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the pool of a JNDI resource that is declared in a container, as in Tomcat:
 *
 * <pre>{@code
 * <Resource name="jdbc/shop" type="dev.weir.WeirDataSource" factory="dev.weir.WeirObjectFactory" closeMethod="close"
 *           url="jdbc:postgresql://db/shop" maximumPoolSize="20" connectionTimeout="3s"/>
 * }</pre>
 *
 * <p>Every attribute is a setting by name or alias, or {@code dataSource.*}, and is checked as {@link PoolConfig#from} does;
 * a container's own factory of beans would tell of a wrong number without its name, and take any text but {@code true} for
 * {@code false}. The pool opens nothing yet. The type may be {@code javax.sql.DataSource} as well: Tomcat then closes the
 * pool without being told, and shows its getters, that of the password too, in JMX.
 */
public final class WeirObjectFactory implements ObjectFactory {
    private static final List<String> TYPES = List.of(WeirDataSource.class.getName(), "javax.sql.DataSource");

    /** Attributes of the resource, not of the pool. */
    private static final Set<String> OF_THE_RESOURCE = Set.of("factory", "description", "scope", "auth", "singleton");

    /** For the container. */
    public WeirObjectFactory() {}

    /**
     * Returns the pool that the reference describes, or null if it describes no DataSource and does not name this factory.
     *
     * @throws NamingException if anything in it is wrong, with every fault in its message
     */
    @Override
    public @Nullable Object getObjectInstance(
            @Nullable Object object,
            @Nullable Name name,
            @Nullable Context context,
            @Nullable Hashtable<?, ?> environment)
            throws NamingException {
        if (!(object instanceof Reference reference)) {
            return null;
        }
        if (!TYPES.contains(reference.getClassName())) {
            RefAddr factory = reference.get("factory");
            if (factory == null || !WeirObjectFactory.class.getName().equals(factory.getContent())) {
                return null;
            }
            throw new NamingException((name == null ? "" : "resource " + name + ": ") + "type: "
                    + reference.getClassName() + " (expected: " + String.join(" or ", TYPES) + ")");
        }
        try {
            return new WeirDataSource(propertiesOf(reference));
        } catch (IllegalArgumentException e) {
            NamingException wrong =
                    new NamingException((name == null ? "" : "resource " + name + ": ") + e.getMessage());
            wrong.initCause(e);
            throw wrong;
        }
    }

    private static Properties propertiesOf(Reference reference) {
        Properties properties = new Properties();
        for (RefAddr address : Collections.list(reference.getAll())) {
            if (!OF_THE_RESOURCE.contains(address.getType()) && address.getContent() != null) {
                properties.put(address.getType(), address.getContent());
            }
        }
        return properties;
    }
}
