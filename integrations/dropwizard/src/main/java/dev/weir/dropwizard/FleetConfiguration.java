package dev.weir.dropwizard;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.util.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The block {@code fleet} of a pool: which fleet it is a member of, as {@code docs/how-to/fleet.md} has it. It needs {@code
 * weir-fleet} on the class path. Not thread-safe.
 */
@JsonAutoDetect(
        fieldVisibility = Visibility.NONE,
        getterVisibility = Visibility.NONE,
        isGetterVisibility = Visibility.NONE,
        setterVisibility = Visibility.NONE)
public class FleetConfiguration {
    private static final String MODULE = "dev.weir.fleet.WeirFleet";

    @Nullable
    String name;

    @Nullable
    String application;

    @Nullable
    String budget;

    int leaveForOthers;
    int weight = 1;
    int guaranteed;
    int instances = 1;

    @Nullable
    Duration lease;

    @Nullable
    Duration forgetAfter;

    boolean createTables;

    /** A fleet in which nothing is set. */
    public FleetConfiguration() {}

    /** Sets the name of the fleet, alike for all its members. */
    @JsonProperty
    public void setName(@Nullable String value) {
        name = value;
    }

    /** Sets what the pool's shares are counted by, alike for all instances. */
    @JsonProperty
    public void setApplication(@Nullable String value) {
        application = value;
    }

    /** Sets the connections of the whole fleet, or {@code auto}: as many as the server has for it. */
    @JsonProperty
    public void setBudget(@Nullable String value) {
        budget = value;
    }

    /** Sets, for {@code auto}, the connections that are left for those who are in no fleet. */
    @JsonProperty
    public void setLeaveForOthers(int value) {
        leaveForOthers = value;
    }

    /** Sets the weight of the application where all want more than there is. */
    @JsonProperty
    public void setWeight(int value) {
        weight = value;
    }

    /** Sets the connections that the application gets before others get more than theirs. */
    @JsonProperty
    public void setGuaranteed(int value) {
        guaranteed = value;
    }

    /** Sets how many instances of the application there are at least: each is guaranteed its part of guaranteed. */
    @JsonProperty
    public void setInstances(int value) {
        instances = value;
    }

    /** Sets how long a grant holds without a renewal, alike for all members. */
    @JsonProperty
    public void setLease(@Nullable Duration value) {
        lease = value;
    }

    /** Sets how long after that a member that cannot be seen keeps its connections, alike for all members. */
    @JsonProperty
    public void setForgetAfter(@Nullable Duration value) {
        forgetAfter = value;
    }

    /** Sets whether the tables are made where they are missing. */
    @JsonProperty
    public void setCreateTables(boolean value) {
        createTables = value;
    }

    /** Whether the name is empty: no fleet here, as for a test on another database. */
    boolean isOff() {
        return name != null && name.isBlank();
    }

    /** What is wrong, each as {@code option: value (expected: ...)}. */
    List<String> faults(ClassLoader loader) {
        if (name == null) {
            return List.of("name: not set (expected: the name of the fleet)");
        }
        if (application == null || application.isBlank()) {
            return List.of("application: not set (expected: a name, alike for all instances)");
        }
        try {
            Class.forName(MODULE, false, loader);
        } catch (ClassNotFoundException e) {
            return List.of("name: " + name + " (expected: dev.weir:weir-fleet on the class path, or no fleet)");
        }
        return FleetMember.faults(this);
    }
}
