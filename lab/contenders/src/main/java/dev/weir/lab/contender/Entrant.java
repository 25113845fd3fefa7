package dev.weir.lab.contender;

import java.util.Map;

/**
 * A contender as it takes part in a run.
 *
 * @param label its name in tables and files, with its parameters in brackets
 * @param definition the text that {@link Contenders#parse} makes it from
 * @param contender the pool
 * @param parameters what it is told beside the common words
 */
public record Entrant(String label, String definition, Contender contender, Map<String, String> parameters) {

    /**
     * Opens the pool with its parameters.
     *
     * @throws Exception whatever the pool throws
     */
    public PoolUnderTest open(PoolSpec spec, Profile profile) throws Exception {
        return contender.open(spec.profile(profile).parameters(parameters));
    }

    /** Returns what it does for each loan. */
    public Terms terms(Profile profile) {
        Terms usual = contender.terms(profile);
        return parameters.isEmpty() ? usual : new Terms("as its brackets say, else " + usual.tested(), usual.counts());
    }

    @Override
    public String toString() {
        return label;
    }
}
