import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/**
 * Counts the words of a topic with Kafka Streams, each word of each line exactly once.
 *
 * Arguments: bootstrap servers, application id, input, output, folder of the state, pause after each line in
 * milliseconds, then settings of Streams as KEY=VALUE. The state is a persistent store, and nothing is cached: each
 * word of the input is one record of the output, with the count so far. Prints the states of the application, and every
 * error that ended a thread; such a thread is replaced.
 */
public class WordCount {
    public static void main(String[] arguments) throws InterruptedException {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", arguments[0]);
        settings.put("application.id", arguments[1]);
        settings.put("state.dir", arguments[4]);
        settings.put("processing.guarantee", "exactly_once_v2");
        settings.put("statestore.cache.max.bytes", "0");
        settings.put("default.key.serde", Serdes.StringSerde.class.getName());
        settings.put("default.value.serde", Serdes.StringSerde.class.getName());
        for (String each : Arrays.asList(arguments).subList(6, arguments.length)) {
            String[] parts = each.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        KafkaStreams streams = new KafkaStreams(
            counting(arguments[2], arguments[3], Long.parseLong(arguments[5])).build(), settings);
        streams.setStateListener((now, before) -> System.out.println("state " + now));
        streams.setUncaughtExceptionHandler(error -> {
            System.out.println("failed: " + error + ", because of " + error.getCause());
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        CountDownLatch told = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            System.out.println("closed " + streams.close(Duration.ofSeconds(60)));
            told.countDown();
        }));
        streams.start();
        told.await();
    }

    private static StreamsBuilder counting(String input, String output, long pause) {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> lines = builder.stream(input);
        lines.peek((key, line) -> rest(pause))
            .flatMapValues(line -> Arrays.asList(line.split(" ")))
            .groupBy((key, word) -> word, Grouped.as("words"))
            .count(Materialized.as("counts"))
            .toStream()
            .mapValues(count -> Long.toString(count))
            .to(output);
        return builder;
    }

    private static void rest(long pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
