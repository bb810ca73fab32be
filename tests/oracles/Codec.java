// Kafka's own generated codecs, asked over standard input. Each line holds CLASS, VERSION, HEX and JSON, between tabs;
// the answer is a line of three columns: the bytes read and written again, their JSON form, and the given JSON form as
// bytes ("-" stands for no JSON). Where Kafka refuses something, its column is "!" and the reason.
// Run it with the jars of the release: java -cp 'FOLDER/*' Codec.java

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.Readable;

public class Codec {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final boolean WITH_RECORDS = false;

    interface Step {
        String run() throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] columns = line.split("\t");
            out.println(answer(columns[0], Short.parseShort(columns[1]), columns[2], columns[3]));
        }
        out.flush();
    }

    private static String answer(String name, short version, String hex, String json) throws Exception {
        Class<?> kind = Class.forName(name);
        Class<?> converter = Class.forName(name + "JsonConverter");
        var toJson = converter.getMethod("write", kind, short.class, boolean.class);
        var fromJson = converter.getMethod("read", JsonNode.class, short.class);
        String written = attempt(() -> bytes(read(kind, hex, version), version));
        String shown = attempt(() -> toJson.invoke(null, read(kind, hex, version), version, WITH_RECORDS).toString());
        String back = json.equals("-") ? json
            : attempt(() -> bytes((Message) fromJson.invoke(null, JSON.readTree(json), version), version));
        return written + "\t" + shown + "\t" + back;
    }

    private static Message read(Class<?> kind, String hex, short version) throws Exception {
        ByteBuffer buffer = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
        Message message = (Message) kind.getConstructor(Readable.class, short.class)
            .newInstance(new ByteBufferAccessor(buffer), version);
        if (buffer.hasRemaining()) {
            throw new IllegalStateException(buffer.remaining() + " bytes are left over");
        }
        return message;
    }

    private static String bytes(Message message, short version) {
        ByteBuffer buffer = MessageUtil.toByteBufferAccessor(message, version).buffer();
        byte[] array = new byte[buffer.remaining()];
        buffer.get(array);
        return HexFormat.of().formatHex(array);
    }

    private static String attempt(Step step) {
        try {
            return step.run();
        } catch (InvocationTargetException wrapper) {
            return refusal(wrapper.getCause());
        } catch (Exception error) {
            return refusal(error);
        }
    }

    private static String refusal(Throwable error) {
        return "! " + error.toString().replace('\n', ' ');
    }
}
