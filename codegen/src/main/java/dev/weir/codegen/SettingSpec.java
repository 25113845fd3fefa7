package dev.weir.codegen;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One row of {@link SettingTable}. */
final class SettingSpec {

    /** The constants of {@code dev.weir.internal.settings.SettingType} that say how a value is read. */
    enum Kind {
        TEXT,
        NAME,
        SECRET,
        INTEGER,
        BOOLEAN,
        DURATION,
        ISOLATION,
        LIVENESS,
        POOL_MODE
    }

    private final String name;
    private final Kind kind;
    private final String what;
    private final List<String> otherNames = new ArrayList<>();
    private @Nullable String byDefault;
    private @Nullable String least;
    private @Nullable String most;
    private boolean alwaysThere;
    private String unset = "";
    private boolean changeable;
    private String whenChanged = "";
    private boolean inEngine = true;
    private String doc = "";

    private SettingSpec(String name, Kind kind, String what) {
        this.name = name;
        this.kind = kind;
        this.what = what;
    }

    /** Text that may be missing; {@code unset} follows "or null", and says what happens then. */
    static SettingSpec text(String name, String what, String orNull) {
        return new SettingSpec(name, Kind.TEXT, what).orNull(orNull);
    }

    /** Another type of value that may be missing; as {@link #text}. */
    static SettingSpec optional(Kind kind, String name, String what, String orNull) {
        return new SettingSpec(name, kind, what).orNull(orNull);
    }

    /** A whole number with its default and range. */
    static SettingSpec number(String name, int byDefault, int least, int most, String what) {
        return new SettingSpec(name, Kind.INTEGER, what).range(Integer.toString(byDefault), least + "", most + "");
    }

    /** A time with its default, which is null if it follows another setting, and its range; as a user writes them. */
    static SettingSpec time(String name, @Nullable String byDefault, String least, String most, String what) {
        return new SettingSpec(name, Kind.DURATION, what).range(byDefault, least, most);
    }

    /** A switch; its description follows "whether". */
    static SettingSpec flag(String name, boolean byDefault, String what) {
        SettingSpec spec = new SettingSpec(name, Kind.BOOLEAN, what);
        spec.byDefault = Boolean.toString(byDefault);
        spec.alwaysThere = true;
        return spec;
    }

    /** One of the words of its kind, with its default. */
    static SettingSpec word(Kind kind, String name, String byDefault, String what) {
        SettingSpec spec = new SettingSpec(name, kind, what);
        spec.byDefault = byDefault;
        spec.alwaysThere = true;
        return spec;
    }

    private SettingSpec orNull(String text) {
        unset = ", or null " + text;
        return this;
    }

    private SettingSpec range(@Nullable String ofDefault, String lowest, String highest) {
        byDefault = ofDefault;
        least = lowest;
        most = highest;
        alwaysThere = true;
        return this;
    }

    /** It can be changed while the pool runs. */
    SettingSpec atRunTime() {
        changeable = true;
        return this;
    }

    /** As {@link #atRunTime()}, with what a change does beyond what the setting says; one sentence, without its full stop. */
    SettingSpec atRunTime(String whatAChangeDoes) {
        whenChanged = " " + whatAChangeDoes + ".";
        return atRunTime();
    }

    /** The engine does not read it; it says where connections come from, or names the pool. */
    SettingSpec notInEngine() {
        inEngine = false;
        return this;
    }

    /** Another name of it, for those who come from HikariCP. */
    SettingSpec alias(String other) {
        otherNames.add(other);
        return this;
    }

    /** Its line in the documentation, without a full stop. */
    SettingSpec doc(String text) {
        doc = text;
        return this;
    }

    String name() {
        return name;
    }

    Kind kind() {
        return kind;
    }

    /** The constant of {@code dev.weir.internal.settings.Setting}. */
    String constant() {
        return name.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
    }

    @Nullable
    String byDefault() {
        return byDefault;
    }

    @Nullable
    String least() {
        return least;
    }

    @Nullable
    String most() {
        return most;
    }

    /** Whether it always has a value, so that it is never null. */
    boolean alwaysThere() {
        return alwaysThere;
    }

    boolean changeable() {
        return changeable;
    }

    boolean inEngine() {
        return inEngine;
    }

    String doc() {
        return doc;
    }

    List<String> otherNames() {
        return List.copyOf(otherNames);
    }

    /** The value in words, as the first sentence of a getter or setter needs it. */
    String what() {
        return what;
    }

    /** The meaning of null; empty if it is never null. */
    String unset() {
        return unset;
    }

    /** The second paragraph of a setter: the documentation's line where it says more, the default and the range. */
    String details() {
        StringBuilder text = new StringBuilder();
        if (!what.equalsIgnoreCase("the " + doc)) {
            text.append(doc).append(doc.endsWith(".") ? "" : ".");
        }
        if (byDefault != null) {
            text.append(" Default: ").append(byDefault).append('.');
        }
        if (least != null) {
            text.append(" Range: ").append(least).append(" to ").append(most).append('.');
        }
        return text.append(whenChanged).toString().strip();
    }
}
