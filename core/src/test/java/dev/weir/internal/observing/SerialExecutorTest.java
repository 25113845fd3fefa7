package dev.weir.internal.observing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class SerialExecutorTest {
    private final SerialExecutor serial = new SerialExecutor();
    private final List<Integer> ran = new ArrayList<>();

    /** The tasks that were handed to a worker. */
    private final Queue<Runnable> handed = new ArrayDeque<>();

    private void give(int task) {
        serial.execute(() -> ran.add(task), handed::add);
    }

    @Test
    void tasksRunInTheirOrderByOneWorkerAlsoWhereOneThrowsAnError() {
        give(1);
        serial.execute(
                () -> {
                    throw new OutOfMemoryError("the user's");
                },
                handed::add);
        give(2);
        assertThat(handed).hasSize(1);
        handed.remove().run();
        assertThat(ran).containsExactly(1, 2);
        give(3);
        handed.remove().run();
        assertThat(ran).containsExactly(1, 2, 3);
    }

    @Test
    void aTaskThatFoundNoThreadRunsBeforeTheNext() {
        assertThatThrownBy(() -> serial.execute(() -> ran.add(1), worker -> {
                    throw new RejectedExecutionException();
                }))
                .isInstanceOf(RejectedExecutionException.class);
        give(2);
        handed.remove().run();
        assertThat(ran).containsExactly(1, 2);
    }

    @Test
    void moreThanAThousandAreLeftOut() {
        for (int i = 0; i < 1_500; i++) {
            give(i);
        }
        handed.remove().run();
        assertThat(ran).hasSize(1_000).endsWith(999);
    }
}
