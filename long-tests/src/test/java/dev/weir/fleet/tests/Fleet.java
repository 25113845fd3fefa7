package dev.weir.fleet.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Six JVMs of two applications that share a server, the first of them through a proxy, and what is done to them. To each is
 * guaranteed what it has when it is idle. After each deed {@link
 * #checkNeverTooMany} holds. For one thread.
 */
final class Fleet implements AutoCloseable {
    static final int SIZE = 6;

    /** The most of one pool; with its own connection it would fill the budget. */
    private static final int MAXIMUM = 50;

    /** Who is idle is counted with one connection that it could use, and its own. */
    static final int OF_THE_IDLE = 2;

    /** Places that a fleet may keep for members that join. */
    private static final int FOR_JOINERS = 3;

    /** For places that somebody can give, on a machine that builds something else meanwhile. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private final Site site;
    private final TcpProxy proxy;
    private final Watch watch;
    private final List<Member> members = new ArrayList<>();
    private final List<Member> all = new ArrayList<>();

    Fleet(Site site) throws InterruptedException {
        this.site = site;
        this.proxy = new TcpProxy("127.0.0.1", site.port());
        this.watch = new Watch(site);
        try {
            for (int i = 0; i < SIZE; i++) {
                members.add(begin(i));
            }
            for (Member member : members) {
                member.awaitJoined();
            }
        } catch (InterruptedException | RuntimeException | AssertionError e) {
            close();
            throw e;
        }
    }

    private Member begin(int place) {
        Member member = Member.start(site, place == 0 ? proxy.port() : site.port(), MAXIMUM, "app" + place % 2);
        all.add(member);
        return member;
    }

    private Member start(int place) throws InterruptedException {
        Member member = begin(place);
        member.awaitJoined();
        return member;
    }

    /** Places that are there for a burst while so many others are idle, without the bursting member's own. */
    private int room(int others) {
        return Math.min(MAXIMUM, site.budget() - FOR_JOINERS - 1 - OF_THE_IDLE * others);
    }

    /** Returns the limit for places that a member has taken away with it. */
    private Duration afterLease() {
        return site.lease().multipliedBy(2).plus(SOON);
    }

    // ------------------------------------------------------------- deeds

    /** Fifty users come to each member in turn, before those of the one before go: places are given while they are wanted. */
    void moveABurst() throws InterruptedException {
        for (int i = 0; i < SIZE; i++) {
            members.get(i).load(MAXIMUM);
            if (i > 0) {
                awaitEvenShares(List.of(members.get(i - 1), members.get(i)));
                members.get(i - 1).load(0);
            }
            burst(i, SOON);
        }
        members.get(SIZE - 1).load(0);
    }

    /** Users come to a member, who must get all that the others do not need; they stay. */
    private void burst(int place, Duration limit) throws InterruptedException {
        Member member = members.get(place);
        member.load(MAXIMUM);
        int room = room(SIZE - 1);
        Await.await(
                () -> place + " has " + room + ": " + describe(),
                limit,
                () -> member.status().inUse() >= room);
        checkNeverTooMany();
    }

    /** The member that has nearly all is killed; the next one gets them when the lease has ended. */
    void killTheLargest(int place) throws InterruptedException {
        int next = (place + 1) % SIZE;
        burst(place, SOON);
        members.get(place).kill();
        members.get(next).load(MAXIMUM);
        members.set(place, start(place));
        burst(next, afterLease());
        members.get(next).load(0);
    }

    /**
     * A member is stopped in the midst of a burst, for longer than its lease; its sessions stay, so that nobody gets
     * their places. When it goes on, it must not open what others have got meanwhile.
     */
    void pauseTheLargest(int place) throws InterruptedException {
        int next = (place + 1) % SIZE;
        Member paused = members.get(place);
        burst(place, SOON);
        paused.pause();
        members.get(next).load(MAXIMUM);
        Await.await(
                () -> "the others see that it is gone: " + describe(),
                afterLease(),
                () -> members.get(next).status().members() == SIZE - 1);
        checkNeverTooMany();
        paused.resume();
        Await.await(
                () -> "it is back: " + describe(),
                afterLease(),
                () -> paused.status().leaseHolds());
        awaitEvenShares(List.of(paused, members.get(next)));
        paused.load(0);
        burst(next, SOON);
        members.get(next).load(0);
    }

    /** Two members that want more than there is have about the same. */
    private void awaitEvenShares(List<Member> two) {
        int half = (site.budget() - FOR_JOINERS - OF_THE_IDLE * (SIZE - 2)) / 2 - 1;
        Await.await(() -> "both have " + half + ": " + describe(), SOON, () -> {
            for (Member member : two) {
                if (member.status().inUse() < half) {
                    return false;
                }
            }
            return true;
        });
        checkNeverTooMany();
    }

    /** The network swallows what the first member says, for longer than its lease; another one has a burst. */
    void cutOneOff() throws InterruptedException {
        Member cut = members.get(0);
        cut.load(8);
        Await.await(this::describe, SOON, () -> cut.status().inUse() == 8);
        proxy.blackHole();
        members.get(1).load(MAXIMUM);
        Await.await(
                () -> "the others see that it is gone: " + describe(),
                afterLease(),
                () -> members.get(1).status().members() == SIZE - 1);
        checkNeverTooMany();
        long served = cut.status().served();
        proxy.pass();
        Await.await(() -> "it is back: " + describe(), afterLease(), () -> {
            Member.Status status = cut.status();
            return status.leaseHolds() && status.served() > served;
        });
        cut.load(0);
        burst(1, SOON);
        members.get(1).load(0);
    }

    /** The server restarts under users of all members, who are all served again. */
    void restartTheServer() throws InterruptedException {
        for (Member member : members) {
            member.load(12);
        }
        Await.await(
                () -> "nearly all places are used: " + watch.now(), SOON, () -> watch.now() >= site.budget() - SIZE);
        site.restart();
        long[] served = new long[SIZE];
        for (int i = 0; i < SIZE; i++) {
            served[i] = members.get(i).status().served();
        }
        for (int i = 0; i < SIZE; i++) {
            int place = i;
            Await.await(() -> place + " is back: " + describe(), afterLease(), () -> {
                Member.Status status = members.get(place).status();
                return status.leaseHolds() && status.served() > served[place] + 20;
            });
        }
        checkNeverTooMany();
        quiet();
    }

    /** Each member is replaced while its users work: the new one starts, gets them, and the old one drains. */
    void deploy() throws InterruptedException {
        for (Member member : members) {
            member.load(7);
        }
        for (int i = 0; i < SIZE; i++) {
            Member old = members.get(i);
            Member.Status before = old.status();
            Member fresh = start(i);
            fresh.load(7);
            old.beginLeaving();
            members.set(i, fresh);
            assertThat(old.awaitLeft()).as("of %s", before).startsWith("left " + before.failed() + " ");
            Await.await(
                    () -> "the new one serves: " + describe(),
                    SOON,
                    () -> fresh.status().inUse() == 7);
            assertThat(fresh.status().failed()).as(this::describe).isZero();
        }
        checkNeverTooMany();
        quiet();
    }

    private void quiet() throws InterruptedException {
        for (Member member : members) {
            member.load(0);
        }
    }

    // ------------------------------------------------------------- checks

    void checkNeverTooMany() {
        try {
            assertThat(site.refused()).as("refused connects").isZero();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        assertThat(watch.looks()).isPositive();
        assertThat(watch.most()).as("sessions of members").isLessThanOrEqualTo(site.budget());
    }

    int most() {
        return watch.most();
    }

    private String describe() {
        return members.stream()
                .map(member -> {
                    try {
                        return member.status().toString();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return "?";
                    }
                })
                .collect(Collectors.joining("\n", watch.now() + " sessions\n", ""));
    }

    @Override
    public void close() throws InterruptedException {
        all.forEach(Member::close);
        watch.close();
        proxy.close();
    }
}
