package dev.weir.internal.handles;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A value of a column or a parameter. One that can be freed, and that its user made of the connection, and forgot, is freed when the loan
 * ends.
 */
abstract class AbstractValueHandle extends AbstractHandle {

    /** Stands for it among what the end of the loan closes; null for a value that was read. Plain: written once, at once. */
    private @Nullable Temporary temporary;

    /** The owner of the loan, to be told when this is freed. */
    private @Nullable LoanOwner owner;

    private int madeAt;

    AbstractValueHandle(ConnectionHandle connection) {
        super(connection);
        owner = connection.owner();
        if (owner != null) {
            madeAt = owner.valueMade();
        }
    }

    /** It was made by the connection, and this frees it. */
    final void freeAtEnd(Object physical, Temporary.End end) throws SQLException {
        Temporary made = new Temporary(connection, physical, end);
        temporary = made;
        connection.track(made);
    }

    /** The user freed it. */
    final void markFreed() {
        Temporary made = temporary;
        if (made != null) {
            made.markClosed();
        }
        LoanOwner told = owner;
        if (told != null) {
            owner = null;
            told.valueFreed(madeAt);
        }
    }

    /** The driver's text alone: users write {@code rs.getObject(i).toString()} into files. */
    @Override
    final String shown(String text, String own) {
        return text;
    }
}
