package dev.weir.testkit.junit;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.platform.commons.support.AnnotationSupport;

/** The work of {@link ConnectionBudget}. */
final class ConnectionBudgetExtension implements BeforeEachCallback, AfterEachCallback {
    private static final Namespace OWN = Namespace.create(ConnectionBudgetExtension.class);

    @Override
    public void beforeEach(ExtensionContext test) {
        ConnectionBudget budget = budgetOf(test);
        if (budget.value() < 0) {
            throw new ExtensionConfigurationException(
                    "@ConnectionBudget: " + budget.value() + " (expected: 0 or more)");
        }
        Holdings.ALL.begin(budget.value());
        if (!budget.mayWait()) {
            test.getStore(OWN).put(HolderSampler.class, new HolderSampler());
        }
    }

    @Override
    public void afterEach(ExtensionContext test) throws InterruptedException {
        HolderSampler sampler = test.getStore(OWN).remove(HolderSampler.class, HolderSampler.class);
        stopIfAny(sampler);
        List<String> faults = Holdings.ALL.end();
        if (!faults.isEmpty()) {
            throw new AssertionError(String.join("\n", faults));
        }
    }

    private static void stopIfAny(@Nullable HolderSampler sampler) throws InterruptedException {
        if (sampler != null) {
            sampler.stop();
        }
    }

    /** The method's own, else that of its class, else that of a class around it. */
    private static ConnectionBudget budgetOf(ExtensionContext test) {
        for (Optional<ExtensionContext> at = Optional.of(test);
                at.isPresent();
                at = at.get().getParent()) {
            Optional<ConnectionBudget> budget =
                    AnnotationSupport.findAnnotation(at.get().getElement(), ConnectionBudget.class);
            if (budget.isPresent()) {
                return budget.get();
            }
        }
        throw new ExtensionConfigurationException("no @ConnectionBudget at " + test.getDisplayName());
    }
}
