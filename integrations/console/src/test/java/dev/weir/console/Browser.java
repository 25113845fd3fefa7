package dev.weir.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.Programs;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;

/** Chromium without a screen, with a profile of its own that is deleted at the end. For one thread. */
final class Browser implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Selenium warns of a browser that is newer than itself; nothing here depends on that. */
    private static final Logger QUIET = Logger.getLogger("org.openqa.selenium");

    private final Path profile;
    private final ChromeDriver driver;

    Browser() throws IOException {
        QUIET.setLevel(Level.SEVERE);
        profile = Files.createTempDirectory("weir-browser");
        ChromeOptions options = new ChromeOptions();
        options.setBinary(Objects.requireNonNull(Programs.find("chromium")));
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--user-data-dir=" + profile);
        options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL", "performance", "ALL"));
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(new File(Objects.requireNonNull(Programs.find("chromedriver"))))
                        .usingAnyFreePort()
                        .build(),
                options);
        command(
                "Page.addScriptToEvaluateOnNewDocument",
                Map.of(
                        "source",
                        "window.complaints = [];"
                                + "addEventListener('securitypolicyviolation', e => complaints.push(e.violatedDirective + ' ' + e.blockedURI));"
                                + "addEventListener('error', e => complaints.push(String(e.message)));"
                                + "addEventListener('unhandledrejection', e => complaints.push(String(e.reason)));"));
    }

    static boolean isInstalled() {
        return Programs.areInstalled("chromium", "chromium", "chromedriver");
    }

    private void command(String name, Map<String, Object> arguments) {
        driver.executeCdpCommand(name, arguments);
    }

    /** Opens a page in a fresh tab's state: nothing is stored, and the window is as wide. */
    void open(URI address, int width) {
        command(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 800, "deviceScaleFactor", 1, "mobile", width < 500));
        driver.get("about:blank");
        driver.manage().logs().get("performance");
        driver.manage().logs().get("browser");
        driver.get(address.toString());
    }

    /** Returns what a script returns. */
    @Nullable
    Object js(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Returns the text of the first element, whether it is seen or not; empty if there is none. */
    String text(String css) {
        return String.valueOf(js("return document.querySelector(arguments[0])?.textContent ?? ''", css));
    }

    long count(String css) {
        return (long) Objects.requireNonNull(js("return document.querySelectorAll(arguments[0]).length", css));
    }

    /** Returns whether an element is there and takes room. */
    boolean shows(String css) {
        return Boolean.TRUE.equals(
                js("return (document.querySelector(arguments[0])?.getClientRects().length ?? 0) > 0", css));
    }

    void awaitText(String css, String part) {
        Await.await(
                () -> css + " has '" + part + "' but: " + text(css),
                LIMIT,
                () -> text(css).contains(part));
    }

    void awaitShown(String css, boolean shown) {
        Await.await(css + (shown ? " is shown" : " is not shown"), LIMIT, () -> shows(css) == shown);
    }

    void click(String css) {
        awaitShown(css, true);
        driver.findElement(By.cssSelector(css)).click();
    }

    /** Presses keys on whatever has the focus. */
    void type(CharSequence... keys) {
        new Actions(driver).sendKeys(keys).perform();
    }

    /** Returns what has the focus: its identity, or else its parent's, and its text. */
    String focused() {
        return String.valueOf(js(
                "const at = document.activeElement; return (at.id || at.closest('[id]')?.id) + ': ' + at.textContent"));
    }

    /** Returns what the page has asked for since it was opened. */
    List<String> requests() throws IOException {
        List<String> addresses = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get("performance")) {
            JsonNode message = new JsonMapper().readTree(entry.getMessage()).get("message");
            if (message.get("method").asText().equals("Network.requestWillBeSent")) {
                addresses.add(message.at("/params/request/url").asText());
            }
        }
        return addresses;
    }

    /** Returns the errors of the page, and what its policy has refused, since it was opened. */
    List<String> complaints() {
        List<String> all = new ArrayList<>();
        ((List<?>) Objects.requireNonNull(js("return window.complaints"))).forEach(one -> all.add(String.valueOf(one)));
        driver.manage().logs().get("browser").getAll().stream()
                .map(LogEntry::getMessage)
                // A refused look is an error of the network to it; the page tells it in words.
                .filter(message -> !message.contains("Failed to load resource"))
                .forEach(all::add);
        return all;
    }

    @Override
    public void close() throws IOException {
        driver.quit();
        try (Stream<Path> files = Files.walk(profile)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
