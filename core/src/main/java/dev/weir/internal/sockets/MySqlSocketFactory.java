package dev.weir.internal.sockets;

import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import java.net.Socket;

/**
 * Makes the sockets of MySQL Connector/J, which loads this class by its name and wants a kind of its own. Compiled
 * against the driver, which need not be there: nothing else names this class but by a string.
 */
public final class MySqlSocketFactory extends StandardSocketFactory {
    @Override
    protected Socket createSocket(PropertySet properties) {
        return WatchedSockets.newSocket(null);
    }
}
