package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import org.flowable.engine.ProcessEngine;
import org.flowable.engine.ProcessEngineConfiguration;
import org.junit.jupiter.api.Test;

class FlowableTest {
    private static final String PROCESS = """
            <definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="shop">
              <process id="sail" isExecutable="true">
                <startEvent id="start"/>
                <sequenceFlow id="flow" sourceRef="start" targetRef="end"/>
                <endEvent id="end"/>
              </process>
            </definitions>
            """;

    @Test
    void processesRunThroughThePool() {
        try (WeirDataSource dataSource = Pools.h2("flowable")) {
            // snippet:flowable
            ProcessEngine engine = ProcessEngineConfiguration.createStandaloneProcessEngineConfiguration()
                    .setDataSource(dataSource)
                    .setDatabaseSchemaUpdate(ProcessEngineConfiguration.DB_SCHEMA_UPDATE_TRUE)
                    .buildProcessEngine();
            // snippet:end
            engine.getRepositoryService()
                    .createDeployment()
                    .addString("sail.bpmn20.xml", PROCESS)
                    .deploy();
            engine.getRuntimeService().startProcessInstanceByKey("sail");
            assertThat(engine.getHistoryService()
                            .createHistoricProcessInstanceQuery()
                            .finished()
                            .count())
                    .isEqualTo(1);
            engine.close();
            assertThat(dataSource.stats().acquired()).isGreaterThan(3);
            assertThat(dataSource.stats().inUse()).isZero();
            assertThat(dataSource.isClosed()).isFalse();
        }
    }
}
