package dev.weir.lab.workload;

import dev.weir.lab.stub.BareDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** No pool, and one that loses calls, or passes them on twice: {@code PreparedStatement.addBatch}. */
public final class LossyDataSource extends BareDataSource {
    private String url = "";
    private String lost = "";
    private String doubled = "";

    public void setUrl(String url) {
        this.url = url;
    }

    public void setLost(String call) {
        lost = call;
    }

    public void setDoubled(String call) {
        doubled = call;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return handle(Connection.class, DriverManager.getConnection(url));
    }

    private <T> T handle(Class<T> type, T target) {
        Object handle = Proxy.newProxyInstance(
                LossyDataSource.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String call = type.getSimpleName() + "." + method.getName();
                    if (call.equals(lost)) {
                        return method.getReturnType() == boolean.class ? false : null;
                    }
                    try {
                        if (call.equals(doubled)) {
                            method.invoke(target, arguments);
                        }
                        Object answer = method.invoke(target, arguments);
                        if (answer instanceof PreparedStatement statement) {
                            return handle(PreparedStatement.class, statement);
                        }
                        return answer instanceof ResultSet rows ? handle(ResultSet.class, rows) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return type.cast(handle);
    }
}
