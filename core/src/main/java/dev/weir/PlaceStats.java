package dev.weir;

import java.time.Duration;

/**
 * The loans that one place of the application acquired, as far as the pool sampled them: all of them at up to a hundred or two a
 * second, and beyond that as many as cost less than a hundredth of one thread's time; fewer in the first minute, before the JVM has
 * compiled the code for it. Loans that had to wait have an account of their own, so that they are seldom missed: where not all are
 * sampled they weigh more than their number.
 *
 * @param place the method that acquired, and those that called it, three at most, as {@code Orders.query from OrderView.render}:
 *     the first frames that are not the pool's, the JDK's, a proxy's or a well-known framework's; {@code others} once a
 *     hundred places are known
 * @param loans those that were sampled
 * @param held how long they were held, those that are returned
 * @param waited how long they waited before
 * @param longest the one of them that was held the longest
 */
public record PlaceStats(String place, long loans, Duration held, Duration waited, Duration longest) {}
