package dev.weir.lab.stub;

/**
 * How often the methods of a workload reached the driver.
 *
 * @param prepareStatement also createStatement
 * @param setInt parameters set
 * @param addBatch rows added
 * @param executeBatch batches
 * @param executeQuery queries
 * @param statementCloses statements closed, each once
 * @param next rows asked for
 * @param getInt values read
 * @param resultSetCloses result sets closed, each once
 */
public record StubCalls(
        long prepareStatement,
        long setInt,
        long addBatch,
        long executeBatch,
        long executeQuery,
        long statementCloses,
        long next,
        long getInt,
        long resultSetCloses) {

    /** Returns the sum of both. */
    public StubCalls plus(StubCalls other) {
        return new StubCalls(
                prepareStatement + other.prepareStatement,
                setInt + other.setInt,
                addBatch + other.addBatch,
                executeBatch + other.executeBatch,
                executeQuery + other.executeQuery,
                statementCloses + other.statementCloses,
                next + other.next,
                getInt + other.getInt,
                resultSetCloses + other.resultSetCloses);
    }

    /** Returns what came after an earlier count. */
    public StubCalls minus(StubCalls earlier) {
        return new StubCalls(
                prepareStatement - earlier.prepareStatement,
                setInt - earlier.setInt,
                addBatch - earlier.addBatch,
                executeBatch - earlier.executeBatch,
                executeQuery - earlier.executeQuery,
                statementCloses - earlier.statementCloses,
                next - earlier.next,
                getInt - earlier.getInt,
                resultSetCloses - earlier.resultSetCloses);
    }
}
