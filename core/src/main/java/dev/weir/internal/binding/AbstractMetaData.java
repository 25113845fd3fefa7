package dev.weir.internal.binding;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The metadata of a connection that has one of the database for a while only: what is the same for the whole pool is asked once. */
abstract class AbstractMetaData implements DatabaseMetaData {
    final AbstractBinding binding;

    AbstractMetaData(AbstractBinding binding) {
        this.binding = binding;
    }

    /** The answer that the pool knows; null if it was not asked yet. */
    final @Nullable Object known(String question) throws SQLException {
        binding.checkOpen();
        Object known = binding.binder.constants.get(question);
        return known == Binder.NONE ? null : known;
    }

    final <T extends @Nullable Object> T keep(String question, T answer) {
        if (answer != null) {
            binding.binder.constants.put(question, answer);
        }
        return answer;
    }

    @Override
    public final boolean isReadOnly() throws SQLException {
        return ((Connection) binding).isReadOnly();
    }

    @Override
    public final int getDriverMajorVersion() {
        return binding.binder.constants.get("getDriverMajorVersion") instanceof Integer known ? known : 0;
    }

    @Override
    public final int getDriverMinorVersion() {
        return binding.binder.constants.get("getDriverMinorVersion") instanceof Integer known ? known : 0;
    }

    @Override
    public final Connection getConnection() throws SQLException {
        binding.checkOpen();
        return (Connection) binding;
    }

    @Override
    public final <T> T unwrap(@Nullable Class<T> type) throws SQLException {
        if (type != null && type.isInstance(this)) {
            return type.cast(this);
        }
        return binding.ask(connection -> connection.getMetaData().unwrap(type));
    }

    @Override
    public final boolean isWrapperFor(@Nullable Class<?> type) throws SQLException {
        if (type != null && type.isInstance(this)) {
            return true;
        }
        return binding.ask(connection -> connection.getMetaData().isWrapperFor(type));
    }
}
