package dev.weir.internal.handles;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLEventReader;
import javax.xml.stream.XMLEventWriter;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import javax.xml.transform.Result;
import javax.xml.transform.Source;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.stax.StAXResult;
import javax.xml.transform.stax.StAXSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.jspecify.annotations.Nullable;
import org.xml.sax.ContentHandler;
import org.xml.sax.DTDHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;
import org.xml.sax.ext.DeclHandler;
import org.xml.sax.ext.LexicalHandler;

/**
 * Puts handles around what the sources and results of an SQLXML read from and write to: streams, and the readers,
 * writers and handlers of the XML APIs. A DOM tree is left as it is: it is in memory, and its nodes must be of the
 * class that made the document.
 */
final class XmlHandles {
    /** The types of the XML APIs that a driver's object may have; a proxy of it has the same. */
    private static final List<Class<?>> INTERFACES = List.of(
            XMLStreamReader.class,
            XMLEventReader.class,
            XMLStreamWriter.class,
            XMLEventWriter.class,
            XMLReader.class,
            ContentHandler.class,
            LexicalHandler.class,
            DTDHandler.class,
            DeclHandler.class);

    private XmlHandles() {}

    static <T extends Source> @Nullable T wrap(ConnectionHandle connection, @Nullable Class<T> type, @Nullable T source)
            throws SQLException {
        try {
            return as(connection, type, source, ofSource(connection, source));
        } catch (XMLStreamException e) {
            throw new SQLException("the document cannot be read: " + e.getMessage(), "2200N", e);
        }
    }

    static <T extends Result> @Nullable T wrap(
            ConnectionHandle connection, @Nullable Class<T> type, @Nullable T result) {
        return as(connection, type, result, ofResult(connection, result));
    }

    /** The handle, unless the user asked for the driver's own class, which is to unwrap. */
    @SuppressWarnings("unchecked") // the handle is the driver's object, or was seen to be of the type
    private static <T> @Nullable T as(
            ConnectionHandle connection, @Nullable Class<T> type, @Nullable T physical, @Nullable Object handle) {
        if (handle == physical || type == null || type.isInstance(handle)) {
            return (T) handle;
        }
        connection.unwraps();
        return physical;
    }

    private static @Nullable Source ofSource(ConnectionHandle connection, @Nullable Source source)
            throws XMLStreamException {
        if (source instanceof StreamSource stream) {
            StreamSource handle = new StreamSource();
            handle.setInputStream(Wrapping.wrap(connection, stream.getInputStream()));
            handle.setReader(Wrapping.wrap(connection, stream.getReader()));
            handle.setPublicId(stream.getPublicId());
            handle.setSystemId(stream.getSystemId());
            return handle;
        }
        if (source instanceof SAXSource sax) {
            SAXSource handle = new SAXSource(
                    proxy(connection, XMLReader.class, sax.getXMLReader()), ofInput(connection, sax.getInputSource()));
            if (sax.getSystemId() != null) {
                handle.setSystemId(sax.getSystemId());
            }
            return handle;
        }
        if (source instanceof StAXSource stax) {
            XMLStreamReader reader = stax.getXMLStreamReader();
            return reader != null
                    ? new StAXSource(proxy(connection, XMLStreamReader.class, reader))
                    : new StAXSource(proxy(connection, XMLEventReader.class, stax.getXMLEventReader()));
        }
        return source;
    }

    private static @Nullable InputSource ofInput(ConnectionHandle connection, @Nullable InputSource input) {
        if (input == null) {
            return null;
        }
        InputSource handle = new InputSource();
        handle.setByteStream(Wrapping.wrap(connection, input.getByteStream()));
        handle.setCharacterStream(Wrapping.wrap(connection, input.getCharacterStream()));
        handle.setEncoding(input.getEncoding());
        handle.setPublicId(input.getPublicId());
        handle.setSystemId(input.getSystemId());
        return handle;
    }

    private static @Nullable Result ofResult(ConnectionHandle connection, @Nullable Result result) {
        if (result instanceof StreamResult stream) {
            StreamResult handle = new StreamResult();
            handle.setOutputStream(Wrapping.wrap(connection, stream.getOutputStream()));
            handle.setWriter(Wrapping.wrap(connection, stream.getWriter()));
            handle.setSystemId(stream.getSystemId());
            return handle;
        }
        if (result instanceof SAXResult sax) {
            SAXResult handle = new SAXResult(proxy(connection, ContentHandler.class, sax.getHandler()));
            handle.setLexicalHandler(proxy(connection, LexicalHandler.class, sax.getLexicalHandler()));
            handle.setSystemId(sax.getSystemId());
            return handle;
        }
        if (result instanceof StAXResult stax) {
            XMLStreamWriter writer = stax.getXMLStreamWriter();
            return writer != null
                    ? new StAXResult(proxy(connection, XMLStreamWriter.class, writer))
                    : new StAXResult(proxy(connection, XMLEventWriter.class, stax.getXMLEventWriter()));
        }
        return result;
    }

    private static <T> @Nullable T proxy(ConnectionHandle connection, Class<T> type, @Nullable T physical) {
        if (physical == null) {
            return null;
        }
        List<Class<?>> interfaces = new ArrayList<>();
        for (Class<?> each : INTERFACES) {
            if (each.isInstance(physical)) {
                interfaces.add(each);
            }
        }
        Object proxy = Proxy.newProxyInstance(
                XmlHandles.class.getClassLoader(),
                interfaces.toArray(Class<?>[]::new),
                new Loaned(connection, physical));
        return type.cast(proxy);
    }

    /** Passes each call on while the loan lasts; later it throws what the called method may throw. */
    private record Loaned(ConnectionHandle connection, Object physical) implements InvocationHandler {

        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            if (method.getDeclaringClass() == Object.class) {
                return switch (method.getName()) {
                    case "equals" -> arguments != null && proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> method.getName() + " of " + connection.name();
                };
            }
            if (!connection.isLive()) {
                throw closedException(method);
            }
            connection.markWork();
            try {
                return method.invoke(physical, arguments);
            } catch (InvocationTargetException e) {
                throw thrown(e.getCause());
            }
        }

        private Throwable closedException(Method method) {
            IOException dead = connection.deadStream();
            for (Class<?> declared : method.getExceptionTypes()) {
                if (declared == XMLStreamException.class) {
                    return new XMLStreamException(dead.getMessage(), dead);
                } else if (declared == SAXException.class) {
                    return new SAXException(dead.getMessage(), dead);
                }
            }
            return new IllegalStateException(dead.getMessage(), dead);
        }

        /** Parsers report malformed documents and ends of input by exceptions of all kinds. */
        private Throwable thrown(@Nullable Throwable failure) {
            Throwable cause = failure == null ? new IllegalStateException("threw nothing") : failure;
            if (!(cause instanceof Exception)) {
                connection.noteDriverError(cause);
            }
            return cause;
        }
    }
}
