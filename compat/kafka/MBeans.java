// A node of Apache Kafka that tells its own MBeans over HTTP: a line for each attribute with a number, as
// "<object name> <attribute> <value>". Arguments: the port on 127.0.0.1, then those of kafka.Kafka.
//
// The tests ask it for counters, to hold those of our broker against them.

import com.sun.net.httpserver.HttpServer;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.TreeSet;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

public class MBeans {
    public static void main(String[] arguments) throws Exception {
        HttpServer http = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        http.createContext("/", exchange -> {
            byte[] page = page().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        http.start();
        kafka.Kafka.main(Arrays.copyOfRange(arguments, 1, arguments.length));
    }

    private static String page() {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        TreeSet<String> lines = new TreeSet<>();
        for (ObjectName name : beans.queryNames(null, null)) {
            if (!name.getDomain().startsWith("kafka")) {
                continue;
            }
            try {
                for (MBeanAttributeInfo attribute : beans.getMBeanInfo(name).getAttributes()) {
                    if (beans.getAttribute(name, attribute.getName()) instanceof Number number) {
                        lines.add(name + " " + attribute.getName() + " " + number);
                    }
                }
            } catch (javax.management.JMException | RuntimeException gone) {
                // It went while the page was made, or has no value yet.
                continue;
            }
        }
        return String.join("\n", lines) + "\n";
    }
}
