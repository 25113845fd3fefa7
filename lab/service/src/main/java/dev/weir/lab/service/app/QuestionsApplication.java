package dev.weir.lab.service.app;

import dev.weir.lab.runs.ChildMain;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.ConfigurationSourceProvider;
import io.dropwizard.configuration.EnvironmentVariableSubstitutor;
import io.dropwizard.configuration.FileConfigurationSourceProvider;
import io.dropwizard.configuration.ResourceConfigurationSourceProvider;
import io.dropwizard.configuration.SubstitutingSourceProvider;
import io.dropwizard.configuration.UndefinedEnvironmentVariableException;
import io.dropwizard.core.Application;
import io.dropwizard.core.cli.Cli;
import io.dropwizard.core.cli.ServerCommand;
import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.core.server.ServerFactory;
import io.dropwizard.core.setup.Bootstrap;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.PooledDataSourceFactory;
import io.dropwizard.jdbi3.JdbiFactory;
import io.dropwizard.jetty.HttpConnectorFactory;
import io.dropwizard.lifecycle.ServerLifecycleListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import net.sourceforge.argparse4j.inf.Namespace;
import org.apache.commons.text.StringSubstitutor;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * {@code java ... QuestionsApplication server weir.yml}: a file, or one of the configurations that come with it. It says
 * on its standard output where it listens. With {@code -Dweir.service.stopAtEof=true} it ends when its standard input
 * does, so that it never outlives who started it.
 */
public final class QuestionsApplication extends Application<ServiceConfiguration> {
    private static final String BUILT_IN = "dev/weir/lab/service/app/";

    /** The service; {@link #run(String...)} takes Dropwizard's command {@code server}. */
    public QuestionsApplication() {}

    public static void main(String[] arguments) throws Exception {
        if (Boolean.getBoolean("weir.service.stopAtEof")) {
            ChildMain.endWithParent();
        }
        new QuestionsApplication().run(arguments);
    }

    @Override
    public String getName() {
        return "questions";
    }

    @Override
    public void initialize(Bootstrap<ServiceConfiguration> bootstrap) {
        ConfigurationSourceProvider file = new FileConfigurationSourceProvider();
        ConfigurationSourceProvider builtIn = new ResourceConfigurationSourceProvider();
        ConfigurationSourceProvider either =
                path -> Files.exists(Path.of(path)) ? file.open(path) : builtIn.open(BUILT_IN + path);
        StringSubstitutor variables = new EnvironmentVariableSubstitutor(true);
        // A value, such as a password with ${ in it, is the text that is meant.
        variables.setDisableSubstitutionInValues(true);
        bootstrap.setConfigurationSourceProvider(new SubstitutingSourceProvider(either, variables));
    }

    @Override
    protected void addDefaultCommands(Bootstrap<ServiceConfiguration> bootstrap) {
        bootstrap.addCommand(new Serve(this));
    }

    @Override
    public void run(ServiceConfiguration configuration, Environment environment) {
        sizeThreads((DefaultServerFactory) configuration.getServerFactory(), configuration.maxThreads());
        configuration.setServerFactory(new WithoutReservedThread(configuration.getServerFactory()));
        Map.Entry<String, PooledDataSourceFactory> pool = configuration.pool();
        Jdbi jdbi = new JdbiFactory().build(environment, pool.getValue(), pool.getKey());
        environment.jersey().register(new QuestionsResource(jdbi));
        environment.jersey().register(new DatabaseFailures());
        environment.lifecycle().addServerLifecycleListener(new Announcement(pool.getKey()));
    }

    /** Jetty's own threads, those that accept and select, come on top of those that answer. */
    private static void sizeThreads(DefaultServerFactory server, int answering) {
        int own = server.getApplicationConnectors().stream()
                .filter(HttpConnectorFactory.class::isInstance)
                .map(HttpConnectorFactory.class::cast)
                .mapToInt(connector -> connector.getAcceptorThreads().orElse(1)
                        + connector.getSelectorThreads().orElse(1))
                .sum();
        server.setMaxThreads(answering + own);
        server.setMinThreads(answering + own);
    }

    /**
     * Jetty keeps a thread in reserve for its selector, which at times stands idle while requests wait for a thread: one
     * less answered than was asked for. If it would be the only one that answers Jetty refuses to start.
     */
    private record WithoutReservedThread(ServerFactory factory) implements ServerFactory {
        @Override
        public Server build(Environment environment) {
            Server server = factory.build(environment);
            ((QueuedThreadPool) server.getThreadPool()).setReservedThreads(0);
            return server;
        }

        @Override
        public void configure(Environment environment) {
            factory.configure(environment);
        }
    }

    /** A wrong configuration is the user's to mend: it is told without a stack. */
    private static final class Serve extends ServerCommand<ServiceConfiguration> {
        Serve(Application<ServiceConfiguration> application) {
            super(application);
        }

        @Override
        public void onError(Cli cli, @Nullable Namespace namespace, Throwable failure) {
            if (failure instanceof ConfigurationException || failure instanceof UndefinedEnvironmentVariableException) {
                cli.getStdErr().println(String.valueOf(failure.getMessage()).strip());
            } else {
                super.onError(cli, namespace, failure);
            }
        }
    }

    /** Says where the server listens, in one line that a program can read. */
    private record Announcement(String pool) implements ServerLifecycleListener {
        @Override
        public void serverStarted(Server server) {
            System.out.println(
                    "listening pool=" + pool + " port=" + getLocalPort(server) + " adminPort=" + getAdminPort(server));
        }
    }
}
