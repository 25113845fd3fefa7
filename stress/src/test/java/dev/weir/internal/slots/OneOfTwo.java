package dev.weir.internal.slots;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Outcome;

/** The outcomes of a race that exactly one of two wins. The comment of a test says which bug any other outcome is. */
@Outcome(id = "true, false", expect = ACCEPTABLE, desc = "the first won")
@Outcome(id = "false, true", expect = ACCEPTABLE, desc = "the second won")
@Outcome(expect = FORBIDDEN, desc = "both won, or neither did")
public final class OneOfTwo {
    private OneOfTwo() {}
}
