package dev.weir.cli.migrate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Tomcat's context.xml, server.xml or tomee.xml with its resources, c3p0-config.xml with its configurations, or persistence.xml.
 *
 * @param resources whether the pools are resources of Tomcat's, whose settings are attributes
 * @param pools in the order of the file
 * @param units the properties of each persistence unit, by its name
 * @param notTaken what is in the file and has no place here, a line each
 */
record XmlFile(boolean resources, List<Pool> pools, Map<String, Map<String, String>> units, List<String> notTaken) {
    private static final Set<String> OF_THE_RESOURCE = Set.of(
            "name",
            "auth",
            "type",
            "factory",
            "scope",
            "singleton",
            "description",
            "closeMethod",
            "global",
            "uniqueResourceName");

    /** One pool: the name of its resource or configuration, its kind, and its properties by the pool's own names. */
    record Pool(String name, String pool, Map<String, String> properties) {}

    /** Throws IOException if the file cannot be read, or is no XML. */
    static XmlFile read(Path file) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
            factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
            factory.setXIncludeAware(false);
            var builder = factory.newDocumentBuilder();
            builder.setErrorHandler(null); // nothing on the standard error beside the exception
            Document document;
            try (var in = Files.newInputStream(file)) {
                document = builder.parse(in);
            }
            return switch (document.getDocumentElement().getTagName()) {
                case "c3p0-config" -> c3p0(document);
                case "persistence" -> persistence(document);
                default -> tomcat(document);
            };
        } catch (NoSuchFileException e) {
            throw new IOException(file + ": no such file", e);
        } catch (SAXException | ParserConfigurationException e) {
            throw new IOException(file + ": not XML: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static XmlFile tomcat(Document document) {
        List<Pool> pools = new ArrayList<>();
        for (Element resource : elements(document.getElementsByTagName("Resource"))) {
            String factory = resource.getAttribute("factory");
            String type = resource.getAttribute("type");
            if (!type.endsWith("DataSource") && !factory.contains("DataSource") && !factory.contains("hikari")) {
                continue;
            }
            Map<String, String> properties = new TreeMap<>();
            var attributes = resource.getAttributes();
            for (int i = 0; i < attributes.getLength(); i++) {
                String name = attributes.item(i).getNodeName();
                if (!OF_THE_RESOURCE.contains(name)) {
                    properties.put(name, attributes.item(i).getNodeValue());
                }
            }
            pools.add(new Pool(resource.getAttribute("name"), kind(factory, type), properties));
        }
        return new XmlFile(true, pools, Map.of(), List.of());
    }

    /** Tomcat itself makes a pool of Commons DBCP where no factory is named. */
    private static String kind(String factory, String type) {
        if (factory.contains("hikari")) {
            return Translation.HIKARI;
        }
        return factory.contains("tomcat.jdbc") ? "tomcat" : type.contains("c3p0") ? "c3p0" : "dbcp2";
    }

    private static XmlFile c3p0(Document document) {
        List<Pool> pools = new ArrayList<>();
        List<String> notTaken = new ArrayList<>();
        Map<String, String> base = new TreeMap<>();
        for (String tag : List.of("default-config", "named-config")) {
            for (Element config : elements(document.getElementsByTagName(tag))) {
                String name = tag.equals("named-config") ? config.getAttribute("name") : tag;
                Map<String, String> properties = new TreeMap<>(base); // what a named one does not say is the default's
                for (Element child : elements(config.getChildNodes())) {
                    if (child.getTagName().equals("property")) {
                        String value = child.getAttribute("value");
                        properties.put(
                                child.getAttribute("name"),
                                value.isEmpty() ? child.getTextContent().strip() : value);
                    } else {
                        notTaken.add(name + ": <" + child.getTagName() + ">: "
                                + (child.getTagName().equals("user-overrides")
                                        ? "A pool has one user; use one pool for each"
                                        : "It is for classes that customise a pool of c3p0's"));
                    }
                }
                if (tag.equals("default-config")) {
                    base = properties;
                }
                pools.add(new Pool(name, "c3p0", properties));
            }
        }
        return new XmlFile(false, pools, Map.of(), notTaken);
    }

    private static XmlFile persistence(Document document) {
        Map<String, Map<String, String>> units = new LinkedHashMap<>();
        for (Element unit : elements(document.getElementsByTagName("persistence-unit"))) {
            Map<String, String> properties = new TreeMap<>();
            for (Element property : elements(unit.getElementsByTagName("property"))) {
                properties.put(property.getAttribute("name"), property.getAttribute("value"));
            }
            units.put(unit.getAttribute("name"), properties);
        }
        return new XmlFile(false, List.of(), units, List.of());
    }

    private static List<Element> elements(NodeList nodes) {
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(Element.class::isInstance)
                .map(Element.class::cast)
                .toList();
    }
}
