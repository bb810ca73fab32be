import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Copies records from one topic to another, each exactly once: output and offsets are one transaction.
 *
 * Arguments: bootstrap servers, input, output, group, transactional id, number of records, group.protocol. Every third
 * transaction is aborted, and its records are read again. Prints a line for each transaction. After an error that a
 * producer does not survive it begins anew, as an application would.
 */
public class ReadProcessWrite {
    private final String servers;
    private final String transactionalId;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private KafkaProducer<byte[], byte[]> producer;

    public static void main(String[] arguments) {
        new ReadProcessWrite(arguments).copy(arguments[1], arguments[2], Integer.parseInt(arguments[5]));
    }

    private ReadProcessWrite(String[] arguments) {
        servers = arguments[0];
        transactionalId = arguments[4];
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("group.id", arguments[3]);
        settings.put("group.protocol", arguments[6]);
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "earliest");
        settings.put("isolation.level", "read_committed");
        settings.put("max.poll.records", "50");
        settings.put("key.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
        settings.put("value.deserializer", "org.apache.kafka.common.serialization.ByteArrayDeserializer");
        consumer = new KafkaConsumer<>(settings);
    }

    private void begin() {
        if (producer != null) {
            producer.close(Duration.ZERO);
        }
        Properties settings = new Properties();
        settings.put("bootstrap.servers", servers);
        settings.put("transactional.id", transactionalId);
        settings.put("transaction.timeout.ms", "10000");
        settings.put("delivery.timeout.ms", "20000");
        settings.put("request.timeout.ms", "5000");
        settings.put("key.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
        settings.put("value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer");
        producer = new KafkaProducer<>(settings);
        while (true) {
            try {
                producer.initTransactions();
                return;
            } catch (TimeoutException error) {
                System.out.println("initTransactions again: " + error.getMessage());
            }
        }
    }

    private void copy(String input, String output, int count) {
        consumer.subscribe(List.of(input));
        begin();
        int number = 0;
        while (copied(input) < count) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(500));
            if (records.isEmpty()) {
                continue;
            }
            number++;
            try {
                boolean isCommit = number % 3 != 0;
                transact(records, output, isCommit);
                System.out.println((isCommit ? "committed " : "aborted ") + records.count());
                if (!isCommit) {
                    rewind();
                }
            } catch (KafkaException error) {
                System.out.println("failed: " + error);
                recover();
            }
        }
        System.out.println("done");
        consumer.close();
        producer.close();
    }

    /** How many records are behind the committed offsets. */
    private long copied(String input) {
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(consumer.assignment());
        long sum = 0;
        for (OffsetAndMetadata each : committed.values()) {
            sum += each == null ? 0 : each.offset();
        }
        return sum;
    }

    private void transact(ConsumerRecords<byte[], byte[]> records, String output, boolean isCommit) {
        producer.beginTransaction();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> each : records) {
            producer.send(new ProducerRecord<>(output, each.key(), each.value()));
            offsets.put(new TopicPartition(each.topic(), each.partition()), new OffsetAndMetadata(each.offset() + 1));
        }
        producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
        if (!isCommit) {
            producer.flush();
            producer.abortTransaction();
            return;
        }
        while (true) {
            try {
                producer.commitTransaction();
                return;
            } catch (TimeoutException error) {
                System.out.println("commitTransaction again: " + error.getMessage());
            }
        }
    }

    private void recover() {
        try {
            producer.abortTransaction();
        } catch (KafkaException error) {
            System.out.println("a new producer: " + error);
            begin();
        }
        rewind();
    }

    /** Read again from the committed offsets on. */
    private void rewind() {
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(consumer.assignment());
        for (TopicPartition each : consumer.assignment()) {
            OffsetAndMetadata offset = committed.get(each);
            consumer.seek(each, offset == null ? 0 : offset.offset());
        }
    }
}
