package org.ilnp4j;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.accessTargetWhere;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import java.net.URL;
import java.security.SecureRandom;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.ilnp4j.ilnp.Ilcc;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.tun.TunDevice;
import org.ilnp4j.wire.PacketView;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The shape of the code: which package may import which, and that the protocol core is a function
 * of time and input. Packages that are not there yet are checked from the day they are.
 */
class ArchitectureTest {
  /** Each may import itself and those above it. */
  private static final List<String> LAYERS =
      List.of(
          "util",
          "time",
          "wire",
          "ilnp",
          "ip6",
          "ipsec",
          "tcp.congestion",
          "tcp.recovery",
          "tcp",
          "udp",
          "icmp",
          "mobility",
          "host",
          "netty",
          "link",
          "emulate",
          "naming",
          "proxy",
          "daemon",
          "cli");

  /** What must run the same under a virtual clock: the layers up to the host, and the simulator. */
  private static final String[] CORE =
      Stream.concat(LAYERS.subList(0, LAYERS.indexOf("host") + 1).stream(), Stream.of("sim"))
          .map(ArchitectureTest::in)
          .toArray(String[]::new);

  private static final JavaClasses ALL =
      new ClassFileImporter().importUrls(List.of(home(Ilcc.class), home(TunDevice.class)));

  private static final JavaClasses SINS =
      new ClassFileImporter().importClasses(Sins.class.getDeclaredClasses());

  /** Where the main classes of a module are: tests are kept elsewhere. */
  private static URL home(Class<?> member) {
    return member.getProtectionDomain().getCodeSource().getLocation();
  }

  /** The package; with its subpackages, unless these are layers of their own. */
  private static String in(String layer) {
    return layer.equals("tcp") ? "org.ilnp4j.tcp" : "org.ilnp4j." + layer + "..";
  }

  private static String[] in(List<String> layers) {
    return layers.stream().map(ArchitectureTest::in).toArray(String[]::new);
  }

  private static boolean isViolated(ArchRule rule, JavaClasses by) {
    return rule.evaluate(by).hasViolation();
  }

  // --- layers

  static List<String> layers() {
    return LAYERS;
  }

  private static ArchRule mayNotImport(String layer, List<String> others) {
    return noClasses()
        .that()
        .resideInAPackage(in(layer))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(in(others))
        .allowEmptyShould(true);
  }

  @ParameterizedTest
  @MethodSource("layers")
  void shouldImportOnlyLayersAbove(String layer) {
    List<String> below = LAYERS.subList(LAYERS.indexOf(layer) + 1, LAYERS.size());
    mayNotImport(layer, Stream.concat(below.stream(), Stream.of("sim")).toList()).check(ALL);
  }

  @Test
  void shouldSimulateTheCoreAndItsLinksOnly() {
    mayNotImport("sim", List.of("naming", "proxy", "daemon", "cli")).check(ALL);
    noClasses()
        .that()
        .resideInAPackage("org.ilnp4j.sim..")
        .and(describe("are no drivers", c -> !DRIVERS.contains(c.getName())))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.ilnp4j.netty..")
        .check(ALL);
    noClasses()
        .that()
        .resideInAnyPackage(CORE)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.ilnp4j.tun..")
        .check(ALL);
  }

  @Test
  void shouldKeepNativeBindingsFreeOfTheStack() {
    noClasses()
        .that()
        .resideInAPackage("org.ilnp4j.tun..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("org.ilnp4j..")
                .and(
                    describe(
                        "are not of tun", c -> !c.getPackageName().startsWith("org.ilnp4j.tun"))))
        .check(ALL);
  }

  @Test
  void shouldHaveNoPackageOutsideTheLayers() {
    classes()
        .should()
        .resideInAnyPackage(
            Stream.concat(
                    LAYERS.stream().map(ArchitectureTest::in),
                    Stream.of("org.ilnp4j.sim..", "org.ilnp4j.tun.."))
                .toArray(String[]::new))
        .check(ALL);
  }

  // --- the core

  /** What stands between the core and the real world: the clock, and what drives by it. */
  private static final Set<String> DRIVERS =
      Set.of(
          "org.ilnp4j.time.NanoClock", "org.ilnp4j.sim.RealTimeDriver", "org.ilnp4j.sim.SimRunner");

  private static final Set<String> CLOCK_METHODS = Set.of("nanoTime", "currentTimeMillis");

  private static boolean readsClock(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getFullName();
    String name = access.getName();
    return (owner.equals("java.lang.System") && CLOCK_METHODS.contains(name))
        || (owner.startsWith("java.time.") && (name.equals("now") || name.startsWith("system")))
        || (owner.equals(NanoClock.class.getName()) && name.equals("system"))
        || (access.getTargetOwner().isAssignableTo(java.util.Date.class)
            && isNoArgConstructor(access));
  }

  private static boolean drawsUnseeded(JavaAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    String name = access.getName();
    return (isNoArgConstructor(access)
            && (owner.isEquivalentTo(Random.class) || owner.isEquivalentTo(SplittableRandom.class)))
        || (owner.isEquivalentTo(Math.class) && name.equals("random"))
        || (owner.isEquivalentTo(java.util.UUID.class) && name.equals("randomUUID"))
        || (owner.getPackageName().equals("java.util.random")
            && (name.equals("getDefault") || name.equals("of") || name.equals("create")));
  }

  private static boolean blocks(JavaAccess<?> access) {
    return access.getTargetOwner().isEquivalentTo(Object.class) && access.getName().equals("wait");
  }

  private static boolean isNoArgConstructor(JavaAccess<?> access) {
    return access.getName().equals("<init>")
        && access.getTarget().getFullName().endsWith("<init>()");
  }

  private static ArchCondition<JavaClass> readClock() {
    return accessTargetWhere(describe("read a clock", ArchitectureTest::readsClock));
  }

  private static ArchCondition<JavaClass> drawUnseededRandomness() {
    return accessTargetWhere(describe("draw unseeded randomness", ArchitectureTest::drawsUnseeded))
        .or(dependOnClassesThat(assignableTo(SecureRandom.class)));
  }

  /** Everything in java.util.concurrent either blocks or is for more than one thread. */
  private static ArchCondition<JavaClass> useThreads() {
    return dependOnClassesThat(
            assignableTo(Thread.class)
                .or(assignableTo(java.util.Timer.class))
                .or(resideInAnyPackage("java.util.concurrent..", "io.netty.channel..")))
        .or(accessTargetWhere(describe("block", ArchitectureTest::blocks)));
  }

  private static ArchCondition<JavaClass> openFilesOrSockets() {
    return dependOnClassesThat(
        resideInAnyPackage("java.net..", "java.nio.channels..", "java.nio.file..")
            .or(assignableTo(java.io.File.class))
            .or(assignableTo(java.io.FileInputStream.class))
            .or(assignableTo(java.io.FileOutputStream.class))
            .or(assignableTo(java.io.RandomAccessFile.class)));
  }

  private static ArchRule core(ArchCondition<JavaClass> forbidden) {
    return noClasses()
        .that()
        .resideInAnyPackage(CORE)
        .and(describe("are no drivers", c -> !DRIVERS.contains(c.getName())))
        .should(forbidden);
  }

  @Test
  void shouldHandTimeInAndNeverReadIt() {
    core(readClock()).check(ALL);
  }

  @Test
  void shouldHandRandomnessInAndNeverDrawItUnseeded() {
    core(drawUnseededRandomness()).check(ALL);
  }

  @Test
  void shouldNeverBlockOrStartThreads() {
    core(useThreads()).check(ALL);
  }

  @Test
  void shouldNeverOpenFilesOrSockets() {
    core(openFilesOrSockets()).check(ALL);
  }

  @Test
  void shouldLogThroughOneInterface() {
    noClasses().should().dependOnClassesThat().resideInAPackage("java.util.logging..").check(ALL);
  }

  // --- the rules can fail

  @Test
  void shouldSeeTheClassesOfBothModules() {
    assertThat(ALL.contain(Ilcc.class)).isTrue();
    assertThat(ALL.contain(PacketView.class)).isTrue();
    assertThat(ALL.that(resideInAPackage("org.ilnp4j.tun..")).size()).isPositive();
    assertThat(ALL.that(resideInAnyPackage(CORE)).size()).isGreaterThan(40);
    assertThat(ALL.contain(ArchitectureTest.class)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"wire", "ilnp", "ip6", "mobility"})
  void shouldFailWhenTheOrderIsTurnedRound(String layer) {
    List<String> above = LAYERS.subList(0, LAYERS.indexOf(layer));
    assertThat(isViolated(mayNotImport(layer, above), ALL)).isTrue();
    assertThat(isViolated(mayNotImport(layer, List.of("cli")), ALL)).isFalse();
  }

  @Test
  void shouldFailForEachThingTheCoreMustNotDo() {
    assertCaught(readClock(), Sins.ReadsNanoTime.class);
    assertCaught(readClock(), Sins.ReadsMethodReference.class);
    assertCaught(readClock(), Sins.ReadsInstant.class);
    assertCaught(readClock(), Sins.ReadsDate.class);
    assertCaught(readClock(), Sins.TakesSystemClock.class);
    assertCaught(drawUnseededRandomness(), Sins.DrawsUnseeded.class);
    assertCaught(drawUnseededRandomness(), Sins.DrawsSplittable.class);
    assertCaught(drawUnseededRandomness(), Sins.DrawsSecure.class);
    assertCaught(drawUnseededRandomness(), Sins.DrawsMath.class);
    assertCaught(useThreads(), Sins.Sleeps.class);
    assertCaught(useThreads(), Sins.Waits.class);
    assertCaught(useThreads(), Sins.Schedules.class);
    assertCaught(openFilesOrSockets(), Sins.OpensSocket.class);
    assertCaught(openFilesOrSockets(), Sins.OpensFile.class);
  }

  private static void assertCaught(ArchCondition<JavaClass> forbidden, Class<?> sin) {
    ArchRule rule = noClasses().should(forbidden);
    assertThat(isViolated(rule, SINS.that(equivalentTo(sin)))).as(sin.getSimpleName()).isTrue();
    assertThat(isViolated(rule, SINS.that(equivalentTo(Sins.Innocent.class)))).isFalse();
  }

  /** What the core must not do, done. Never run. */
  @SuppressWarnings("unused")
  private static final class Sins {
    static final class Innocent {
      long draw(java.util.random.RandomGenerator random, long nowNanos) {
        return new Random(nowNanos).nextLong()
            + new SplittableRandom(1).nextLong()
            + random.nextLong();
      }
    }

    static final class ReadsNanoTime {
      final long at = System.nanoTime();
    }

    static final class ReadsMethodReference {
      final java.util.function.LongSupplier clock = System::currentTimeMillis;
    }

    static final class ReadsInstant {
      final Object at = java.time.Instant.now();
    }

    static final class ReadsDate {
      @SuppressWarnings("JavaUtilDate")
      final Object at = new java.util.Date();
    }

    static final class TakesSystemClock {
      final NanoClock clock = NanoClock.system();
    }

    static final class DrawsUnseeded {
      final Random random = new Random();
    }

    static final class DrawsSplittable {
      final SplittableRandom random = new SplittableRandom();
    }

    static final class DrawsSecure {
      final Random random = new SecureRandom();
    }

    static final class DrawsMath {
      final double d = Math.random();
    }

    static final class Sleeps {
      void sleep() throws InterruptedException {
        Thread.sleep(1);
      }
    }

    static final class Waits {
      @SuppressWarnings("WaitNotInLoop")
      void waitForIt() throws InterruptedException {
        synchronized (this) {
          wait();
        }
      }
    }

    static final class Schedules {
      final Object executor = java.util.concurrent.Executors.newCachedThreadPool();
    }

    static final class OpensSocket {
      final Object socket = new java.net.Socket();
    }

    static final class OpensFile {
      final Object file = new java.io.File("/");
    }
  }
}
