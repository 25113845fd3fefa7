package dev.weir.cli.fleet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A fleet as text: what it has in all, each application, each member. */
final class Table {
    private Table() {}

    /** Returns the lines, each without an end of line. */
    static List<String> of(Fleets.Fleet fleet) {
        List<Fleets.Member> members = fleet.members();
        int has = members.stream().mapToInt(Fleets.Member::has).sum();
        int wants = members.stream()
                .filter(Fleets.Member::isLive)
                .mapToInt(Fleets.Member::wants)
                .sum();
        List<String> lines = new ArrayList<>();
        int door = 1 + fleet.budget() / 50; // as Ledger.door of the fleet's module
        lines.add(String.format(
                Locale.ROOT,
                "fleet %s: budget %d%s, %d taken, %d free, %d for members that join, %d wanted by %d members.",
                fleet.name(),
                fleet.budget(),
                fleet.auto() ? " (auto)" : "",
                has,
                Math.max(0, fleet.budget() - door - has),
                door,
                wants,
                members.stream().filter(Fleets.Member::isLive).count()));
        if (members.isEmpty()) {
            return lines;
        }
        int wide = members.stream()
                .mapToInt(member -> Math.max(
                        member.application().length(), member.instance().length() + 2))
                .max()
                .orElseThrow();
        String first = "%-" + Math.max(12, wide) + "s";
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                first + " %7s %10s %6s %7s %6s  %s",
                "application",
                "weight",
                "guaranteed",
                "has",
                "share",
                "wants",
                "lease"));
        byApplication(members).forEach((application, instances) -> {
            lines.add(sum(first, application, instances));
            instances.forEach(member -> lines.add(line(first, member)));
        });
        return lines;
    }

    private static Map<String, List<Fleets.Member>> byApplication(List<Fleets.Member> members) {
        Map<String, List<Fleets.Member>> applications = new LinkedHashMap<>();
        members.forEach(member -> applications
                .computeIfAbsent(member.application(), unseen -> new ArrayList<>())
                .add(member));
        return applications;
    }

    private static String sum(String first, String application, List<Fleets.Member> instances) {
        return String.format(
                Locale.ROOT,
                first + " %7d %10d %6d %7d %6d",
                application,
                instances.stream().mapToInt(Fleets.Member::weight).max().orElse(0),
                instances.stream().mapToInt(Fleets.Member::guaranteed).max().orElse(0),
                instances.stream().mapToInt(Fleets.Member::has).sum(),
                instances.stream()
                        .filter(Fleets.Member::isLive)
                        .mapToInt(Fleets.Member::granted)
                        .sum(),
                instances.stream()
                        .filter(Fleets.Member::isLive)
                        .mapToInt(Fleets.Member::wants)
                        .sum());
    }

    private static String line(String first, Fleets.Member member) {
        return String.format(
                Locale.ROOT,
                first + " %7s %10s %6d %7d %6d  %s",
                "  " + member.instance(),
                "",
                "",
                member.has(),
                member.granted(),
                member.wants(),
                member.isLive()
                        ? Math.round(member.leaseMillis() / 1000.0) + " s"
                        : "ended " + Math.round(-member.leaseMillis() / 1000.0) + " s ago");
    }
}
