// Prints Kafka's own error table, one error a line: code, name, and whether its exception is retriable.
// Run it with the jars of the release: java -cp 'FOLDER/*' ErrorTable.java

import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

public class ErrorTable {
    public static void main(String[] arguments) {
        for (Errors error : Errors.values()) {
            boolean retriable = error.exception() instanceof RetriableException;
            System.out.println(error.code() + " " + error.name() + " " + retriable);
        }
    }
}
