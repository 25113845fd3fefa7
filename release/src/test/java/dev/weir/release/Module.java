package dev.weir.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A module of the build, as its POM has it. */
record Module(Path folder, Element pom) {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** The root and all modules below it. */
    static List<Module> all() throws Exception {
        List<Module> found = new ArrayList<>();
        Deque<Path> folders = new ArrayDeque<>(List.of(ROOT));
        while (!folders.isEmpty()) {
            Path folder = folders.remove();
            Module module = new Module(folder, read(folder.resolve("pom.xml")));
            found.add(module);
            children(module.pom, "modules").forEach(child -> folders.add(folder.resolve(child.getTextContent())));
        }
        return found;
    }

    static List<Module> published() throws Exception {
        return all().stream().filter(Module::isPublished).toList();
    }

    static Element read(Path file) throws IOException, ParserConfigurationException, SAXException {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getDocumentElement();
    }

    /** The elements within the one at this path; none if there is no such path. */
    static List<Element> children(Element parent, String... path) {
        Element at = parent;
        for (String name : path) {
            List<Element> steps =
                    elements(at).filter(e -> e.getTagName().equals(name)).toList();
            if (steps.isEmpty()) {
                return List.of();
            }
            at = steps.get(0);
        }
        return elements(at).toList();
    }

    /** The text of the element of this name within the one at this path; empty if there is none. */
    static String text(Element parent, String name, String... path) {
        return children(parent, path).stream()
                .filter(child -> child.getTagName().equals(name))
                .map(Node::getTextContent)
                .findFirst()
                .orElse("");
    }

    private static Stream<Element> elements(Element parent) {
        NodeList nodes = parent.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .filter(Element.class::isInstance)
                .map(Element.class::cast);
    }

    boolean isPublished() {
        return text(pom, "maven.deploy.skip", "properties").equals("false");
    }

    boolean isJar() {
        return !text(pom, "packaging").equals("pom");
    }

    String name() {
        return text(pom, "artifactId");
    }

    String description() {
        return text(pom, "description");
    }

    /** Its own, or its parent's. */
    String version() {
        String own = text(pom, "version");
        return own.isEmpty() ? text(pom, "version", "parent") : own;
    }

    Path jar() {
        Path jar = folder.resolve("target").resolve(name() + "-" + version() + ".jar");
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException(jar + " is missing: name " + name() + " in release/pom.xml");
        }
        return jar;
    }

    @Override
    public String toString() {
        return name();
    }
}
