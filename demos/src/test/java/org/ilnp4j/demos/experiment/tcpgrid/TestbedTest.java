package org.ilnp4j.demos.experiment.tcpgrid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ilnp4j.demos.lab.Flow;
import org.ilnp4j.demos.lab.Lab;
import org.ilnp4j.demos.lab.Shell;
import org.ilnp4j.ilnp.SessionMode;
import org.ilnp4j.tun.testing.RequiresRoot;
import org.junit.jupiter.api.Test;

class TestbedTest {
  private static final PathConditions PATH = new PathConditions(100_000_000, 20, 0);

  @Test
  @RequiresRoot(programs = "ss")
  void shouldGiveTheKernelTheCongestionControlAskedFor() throws Exception {
    for (String congestion : List.of("reno", "cubic")) {
      try (Lab lab = new Lab();
          Testbed testbed = new Testbed(lab, 1, PATH, congestion, 1);
          Flow flow = testbed.kernelFlow(Flow.ENDLESS)) {
        flow.start();
        while (flow.receivedBytes() == 0) {
          TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(lab.exec(testbed.senderNamespace(), "ss", "-tinH")).contains(congestion + " ");
      }
    }
  }

  @Test
  @RequiresRoot
  void shouldTellWhenAFlowIsBrokenOffAndLeaveNoNamespace() throws Exception {
    try (Lab lab = new Lab()) {
      String namespace;
      Flow flow;
      try (Testbed testbed = new Testbed(lab, 1, PATH, "cubic", 1)) {
        namespace = testbed.senderNamespace();
        flow = testbed.ilnpFlow(SessionMode.CLASSIC, 5001, Flow.ENDLESS);
        flow.start();
        flow.close();
      }
      assertThatThrownBy(() -> flow.seconds().get(10, TimeUnit.SECONDS))
          .hasMessageContaining("broken off");
      assertThat(Shell.run("ip", "netns", "list")).doesNotContain(namespace);
    }
  }

  @Test
  void shouldReadCountersOfTheKernel() throws Exception {
    List<String> lines =
        List.of("Tcp: InSegs RetransSegs", "Tcp: 10 7", "TcpExt: TCPTimeouts", "TcpExt: 2");
    assertThat(Testbed.counter(lines, "Tcp:", "RetransSegs")).isEqualTo(7);
    assertThat(Testbed.counter(lines, "TcpExt:", "TCPTimeouts")).isEqualTo(2);
    assertThatThrownBy(() -> Testbed.counter(lines, "Tcp:", "TCPTimeouts"))
        .hasMessageContaining("TCPTimeouts");
  }
}
