import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Runs Kafka's command-line tools one after the other in this JVM, as each would run in a JVM of its own.
 *
 * <p>A request on standard input is a main class, its arguments and what it finds on its standard input; the response
 * on standard output is its exit code and what it printed. Numbers are ints, strings and bytes follow their length.
 *
 * <p>Each run has the classes of the tools anew, so that what they keep in static fields is not there the next time.
 * The libraries under them stay loaded, which is what makes a run short. A tool that ends with Exit.exit does so here:
 * what it prints or says afterwards does not count. One that leaves a thread behind could disturb the next one, so it is
 * this JVM's last; the response says so, and this program ends.
 */
public final class ToolServer {
    private static final String[] OF_TOOLS = {"org.apache.kafka.tools.", "kafka.admin.", "kafka.tools."};
    private static final long GRACE_MS = 1000;

    private ToolServer() {}

    /** Thrown where a tool asks for the end of its process. */
    @SuppressWarnings("serial")
    private static final class Ended extends Error {
        Ended() {
            super("the tool has ended", null, false, false);
        }
    }

    /** The classes of tools are its own, all others those of this JVM. */
    private static final class ToolClasses extends URLClassLoader {
        ToolClasses(URL[] jars) {
            super(jars, ToolServer.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            for (String prefix : OF_TOOLS) {
                if (name.startsWith(prefix)) {
                    synchronized (getClassLoadingLock(name)) {
                        Class<?> found = findLoadedClass(name);
                        return found != null ? found : findClass(name);
                    }
                }
            }
            return super.loadClass(name, resolve);
        }
    }

    /** What a tool prints, without what threads print that have asked for the end of their process. */
    private static final class Printed extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Set<Thread> ended;

        Printed(Set<Thread> ended) {
            this.ended = ended;
        }

        @Override
        public synchronized void write(int value) {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public synchronized void write(byte[] values, int offset, int length) {
            if (!ended.contains(Thread.currentThread())) {
                bytes.write(values, offset, length);
            }
        }

        synchronized byte[] toByteArray() {
            return bytes.toByteArray();
        }
    }

    /** One run of a tool. */
    private static final class Run {
        private final Set<Thread> ended = ConcurrentHashMap.newKeySet();
        private final Printed out = new Printed(ended);
        private final Printed err = new Printed(ended);
        private final ThreadGroup group = new ThreadGroup("main");
        private final List<Runnable> hooks = new ArrayList<>();
        private Integer exitCode;
        private volatile boolean hasThrown;

        private synchronized void exit(int code) {
            if (exitCode == null) {
                exitCode = code;
                notifyAll();
            }
        }

        /** Waits for Exit.exit, or until the thread and all others that keep a process alive are done. */
        private void waitForEnd(Thread main) throws InterruptedException {
            while (true) {
                synchronized (this) {
                    if (exitCode != null) {
                        return;
                    }
                    wait(5);
                }
                if (!main.isAlive() && threads(false).isEmpty()) {
                    exit(hasThrown ? 1 : 0);
                }
            }
        }

        private List<Thread> threads(boolean withDaemons) {
            Thread[] found = new Thread[group.activeCount() + 16];
            int count = group.enumerate(found);
            List<Thread> living = new ArrayList<>();
            for (int index = 0; index < count; index++) {
                if (found[index].isAlive() && (withDaemons || !found[index].isDaemon())) {
                    living.add(found[index]);
                }
            }
            return living;
        }

        /** Runs it to its end. Returns whether it left nothing behind. */
        boolean run(URL[] jars, String mainClass, String[] arguments, byte[] input) throws Exception {
            InputStream in = System.in;
            PrintStream formerOut = System.out;
            PrintStream formerErr = System.err;
            System.setIn(new ByteArrayInputStream(input));
            System.setOut(new PrintStream(out, true));
            System.setErr(new PrintStream(err, true));
            watchExits();
            try (ToolClasses classes = new ToolClasses(jars)) {
                Thread main = new Thread(group, () -> call(classes, mainClass, arguments), "main");
                main.setContextClassLoader(classes);
                main.start();
                waitForEnd(main);
                for (Runnable hook : hooks()) {
                    hook.run();
                }
                long deadline = System.nanoTime() + GRACE_MS * 1_000_000;
                while (!threads(true).isEmpty() && System.nanoTime() < deadline) {
                    Thread.sleep(2);
                }
                return threads(true).isEmpty();
            } finally {
                System.setIn(in);
                System.setOut(formerOut);
                System.setErr(formerErr);
            }
        }

        /** Has Kafka's Exit tell this object, whose class has moved from release to release. */
        private void watchExits() throws ReflectiveOperationException {
            Class<?> exits;
            try {
                exits = Class.forName("org.apache.kafka.common.utils.internals.Exit");
            } catch (ClassNotFoundException older) {
                exits = Class.forName("org.apache.kafka.common.utils.Exit");
            }
            set(exits, "setExitProcedure", "Procedure", arguments -> leave((Integer) arguments[0]));
            set(exits, "setHaltProcedure", "Procedure", arguments -> leave((Integer) arguments[0]));
            set(exits, "setShutdownHookAdder", "ShutdownHookAdder", arguments -> addHook((Runnable) arguments[1]));
        }

        private static void set(Class<?> exits, String setter, String kind, Consumer<Object[]> called)
                throws ReflectiveOperationException {
            Class<?> wanted = Class.forName(exits.getName() + "$" + kind);
            Object procedure = Proxy.newProxyInstance(wanted.getClassLoader(), new Class<?>[] {wanted},
                    (proxy, method, arguments) -> {
                        called.accept(arguments);
                        return null;
                    });
            exits.getMethod(setter, wanted).invoke(null, procedure);
        }

        private synchronized void addHook(Runnable hook) {
            hooks.add(hook);
        }

        private synchronized List<Runnable> hooks() {
            return new ArrayList<>(hooks);
        }

        private void leave(int code) {
            exit(code);
            ended.add(Thread.currentThread());
            throw new Ended();
        }

        private void call(ClassLoader classes, String mainClass, String[] arguments) {
            try {
                Method main = Class.forName(mainClass, true, classes).getMethod("main", String[].class);
                main.invoke(null, (Object) arguments);
            } catch (InvocationTargetException wrapped) {
                if (!(wrapped.getCause() instanceof Ended)) {
                    System.err.print("Exception in thread \"main\" ");
                    wrapped.getCause().printStackTrace();
                    hasThrown = true;
                }
            } catch (ReflectiveOperationException error) {
                error.printStackTrace();
                hasThrown = true;
            }
        }
    }

    private static String string(DataInputStream in) throws IOException {
        return new String(bytes(in), "UTF-8");
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        byte[] found = new byte[in.readInt()];
        in.readFully(found);
        return found;
    }

    private static void put(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /** Has no arguments; ends with its standard input. */
    public static void main(String[] none) throws Exception {
        DataInputStream in = new DataInputStream(System.in);
        DataOutputStream out = new DataOutputStream(System.out);
        List<URL> jars = new ArrayList<>();
        for (String path : System.getProperty("java.class.path").split(File.pathSeparator)) {
            jars.add(new File(path).toURI().toURL());
        }
        boolean isClean = true;
        while (isClean) {
            String mainClass;
            try {
                mainClass = string(in);
            } catch (EOFException end) {
                break;
            }
            String[] arguments = new String[in.readInt()];
            for (int index = 0; index < arguments.length; index++) {
                arguments[index] = string(in);
            }
            Run run = new Run();
            isClean = run.run(jars.toArray(new URL[0]), mainClass, arguments, bytes(in));
            out.writeInt(run.exitCode);
            put(out, run.out.toByteArray());
            put(out, run.err.toByteArray());
            out.writeInt(isClean ? 1 : 0);
            out.flush();
        }
        // Threads that a tool left behind do not keep this program alive.
        Runtime.getRuntime().halt(0);
    }
}
