package dev.weir.lab.stub;

/** A kind of call of the stub driver. */
public enum Call {
    OTHER("other calls"),
    TEST("tests"),
    PREPARE("prepareStatement"),
    SET("setInt"),
    ADD("addBatch"),
    BATCH("executeBatch"),
    QUERY("executeQuery"),
    CLOSE_STATEMENT("statement closes"),
    NEXT("next"),
    GET("getInt"),
    CLOSE_RESULT("result set closes");

    private final String label;

    Call(String label) {
        this.label = label;
    }

    /** Returns its name in tables. */
    public String label() {
        return label;
    }
}
