package org.ilnp4j.tun.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ilnp4j.tun.Capabilities;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips a test, or all of a class, unless it can make TUN devices and network namespaces: root,
 * {@code /dev/net/tun}, and every program named.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RequiresRoot.Condition.class)
public @interface RequiresRoot {
  /** Programs the test starts beside {@code ip}, as {@code radvd}. */
  String[] programs() default {};

  /** Decides; the reason is one line. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      RequiresRoot annotation =
          context.getElement().map(e -> e.getAnnotation(RequiresRoot.class)).orElse(null);
      String missing = annotation == null ? "" : missing(annotation.programs());
      return missing.isEmpty()
          ? ConditionEvaluationResult.enabled("can make TUN devices and namespaces")
          : ConditionEvaluationResult.disabled(
              "skipped " + context.getDisplayName() + ": needs " + missing);
    }

    private static String missing(String[] programs) {
      try {
        Capabilities capabilities = Capabilities.current();
        if (!capabilities.isRoot() || !capabilities.netAdmin()) {
          return "root";
        }
      } catch (java.io.IOException e) {
        return "a readable /proc/self/status (" + e.getMessage() + ")";
      }
      if (!Files.exists(Path.of("/dev/net/tun"))) {
        return "/dev/net/tun";
      }
      if (!installed("ip")) {
        return "the program ip";
      }
      for (String program : programs) {
        if (!installed(program)) {
          return "the program " + program;
        }
      }
      return "";
    }

    private static boolean installed(String program) {
      String path = System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin";
      for (String directory : path.split(":", -1)) {
        if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, program))) {
          return true;
        }
      }
      return false;
    }
  }
}
