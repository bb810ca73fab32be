import java.util.Collections;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Clients of an old release.
 *
 * <p>OldFormats write SERVERS TOPIC CODEC FIRST WITHOUT_KEYS: writes forty records to partition 0, eight in each request.
 * FIRST is the number of the first one. Every eleventh has no value and, if WITHOUT_KEYS is true, every tenth no key;
 * some timestamps go back.
 *
 * <p>OldFormats read SERVERS TOPIC: prints the records of partition 0, a line of JSON each: offset, timestamp, type of
 * the timestamp, key and value in hexadecimal digits, or null.
 */
public final class OldFormats {
    static final long BASE_TIMESTAMP_MS = 1_400_000_000_000L;

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("write")) {
            write(arguments[1], arguments[2], arguments[3], Integer.parseInt(arguments[4]),
                    Boolean.parseBoolean(arguments[5]));
        } else {
            read(arguments[1], new TopicPartition(arguments[2], 0));
        }
    }

    private static void write(String servers, String topic, String codec, int first, boolean withoutKeys)
            throws Exception {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", servers);
        properties.put("compression.type", codec);
        properties.put("linger.ms", "2000");
        properties.put("acks", "all");
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int number = first; number < first + 40; number++) {
                long timestamp = BASE_TIMESTAMP_MS + number * 1000L - (number % 3 == 2 ? 1500 : 0);
                String key = withoutKeys && number % 10 == 9 ? null : "key-" + number % 7;
                StringBuilder value = new StringBuilder("value-" + number);
                for (int filler = 0; filler < number * 7 % 40; filler++) {
                    value.append('x');
                }
                producer.send(new ProducerRecord<>(topic, 0, timestamp, key == null ? null : key.getBytes("UTF-8"),
                        number % 11 == 10 ? null : value.toString().getBytes("UTF-8")));
                if (number % 8 == 7) {
                    producer.flush();
                }
            }
        }
    }

    private static void read(String servers, TopicPartition partition) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", servers);
        properties.put("enable.auto.commit", "false");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(Collections.singletonList(partition));
            consumer.seekToBeginning(Collections.singletonList(partition));
            long end = consumer.endOffsets(Collections.singletonList(partition)).get(partition);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(100)) {
                    System.out.printf("[%d, %d, \"%s\", %s, %s]%n", record.offset(), record.timestamp(),
                            record.timestampType(), hex(record.key()), hex(record.value()));
                }
            }
        }
    }

    private static String hex(byte[] bytes) {
        if (bytes == null) {
            return "null";
        }
        StringBuilder text = new StringBuilder("\"");
        for (byte each : bytes) {
            text.append(String.format("%02x", each));
        }
        return text.append('"').toString();
    }
}
