package dev.weir.testkit;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.Writer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import javax.xml.transform.dom.DOMResult;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.stax.StAXResult;
import javax.xml.transform.stax.StAXSource;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;
import org.jspecify.annotations.Nullable;
import org.xml.sax.ContentHandler;
import org.xml.sax.InputSource;
import org.xml.sax.XMLReader;
import org.xml.sax.ext.DefaultHandler2;
import org.xml.sax.ext.LexicalHandler;

/** An object of the XML APIs that reads or writes a document of the stub database; its calls are the session's. */
final class StubXml extends StubHandler {
    private static final String DOCUMENT = "<a/>";

    private final Object real;

    private StubXml(StubSession session, Class<?> type, Object real, Class<?>... more) {
        super(session, type, more);
        this.real = real;
    }

    @Override
    @Nullable
    Object answer(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    /** The answer of {@code SQLXML.getSource} or {@code setResult} to a caller who asks for this type. */
    static @Nullable Object of(StubSession session, @Nullable Class<?> wanted) throws Exception {
        if (wanted == StreamResult.class) {
            StreamResult result = new StreamResult((OutputStream) StubStreams.of(session, OutputStream.class));
            result.setWriter((Writer) StubStreams.of(session, Writer.class));
            return result;
        } else if (wanted == SAXResult.class) {
            Object handler =
                    new StubXml(session, ContentHandler.class, new DefaultHandler2(), LexicalHandler.class).proxy();
            return new SAXResult((ContentHandler) handler);
        } else if (wanted == StAXResult.class) {
            XMLStreamWriter real = XMLOutputFactory.newFactory().createXMLStreamWriter(new StringWriter());
            return new StAXResult((XMLStreamWriter) new StubXml(session, XMLStreamWriter.class, real).proxy());
        } else if (wanted == DOMResult.class) {
            return new DOMResult();
        }
        return source(session, wanted);
    }

    private static Object source(StubSession session, @Nullable Class<?> wanted) throws Exception {
        if (wanted == SAXSource.class) {
            XMLReader real = SAXParserFactory.newInstance().newSAXParser().getXMLReader();
            InputSource input = new InputSource((InputStream) StubStreams.of(session, InputStream.class));
            input.setCharacterStream((Reader) StubStreams.of(session, Reader.class));
            return new SAXSource((XMLReader) new StubXml(session, XMLReader.class, real).proxy(), input);
        } else if (wanted == StAXSource.class) {
            XMLStreamReader real = XMLInputFactory.newFactory().createXMLStreamReader(new StringReader(DOCUMENT));
            return new StAXSource((XMLStreamReader) new StubXml(session, XMLStreamReader.class, real).proxy());
        } else if (wanted == DOMSource.class) {
            return new DOMSource();
        }
        StreamSource source = new StreamSource((InputStream) StubStreams.of(session, InputStream.class));
        source.setReader((Reader) StubStreams.of(session, Reader.class));
        return source;
    }
}
