package dev.weir.lab.workload;

import dev.weir.lab.battle.BattleWorkload;
import dev.weir.lab.grid.GridWorkload;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.contract.ContractWorkload;
import dev.weir.lab.workload.cycle.CycleWorkload;
import dev.weir.lab.workload.down.DownWorkload;
import dev.weir.lab.workload.failover.FailoverWorkload;
import dev.weir.lab.workload.fair.FairWorkload;
import dev.weir.lab.workload.fleet.FleetWorkload;
import dev.weir.lab.workload.held.HeldWorkload;
import dev.weir.lab.workload.mixed.MixedWorkload;
import dev.weir.lab.workload.spike.SpikeWorkload;
import java.util.List;
import java.util.stream.Collectors;

/** All workloads. */
public final class Workloads {
    static final String WARM_CONNECTS = "warm-connects";

    /** How often a workload connects without a pool first. A driver that is not compiled takes a processor for most of a second. */
    public static final Setting DRIVER_WARM_UP = Setting.number(
            WARM_CONNECTS, "connects without a pool first, so that the driver's code is compiled", 100, 20, 0, 10_000);

    private static final List<Workload> ALL = List.of(
            new CycleWorkload(),
            new MixedWorkload(),
            new SpikeWorkload(),
            new FairWorkload(),
            new HeldWorkload(),
            new BattleWorkload(),
            new DownWorkload(),
            new FailoverWorkload(),
            new FleetWorkload(),
            new ContractWorkload(),
            new GridWorkload());

    private Workloads() {}

    /** Returns all, in the order in which they are told of. */
    public static List<Workload> all() {
        return ALL;
    }

    /**
     * Returns a workload.
     *
     * @throws IllegalArgumentException naming all, if there is none of this name
     */
    public static Workload named(String name) {
        return ALL.stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("workload: %s (expected: %s)"
                        .formatted(name, ALL.stream().map(Workload::name).collect(Collectors.joining(", ")))));
    }
}
