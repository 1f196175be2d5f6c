package org.ilnp4j.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.ilnp4j.time.NanoClock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections come and go by the thousand and leave nothing (tcp.md B7, B10). */
class TcpChurnTest {
  @ParameterizedTest
  @CsvSource({"true,100000", "false,20000"})
  void shouldLeaveNothingAfterManyThousandConnections(boolean ilnp, int connections) {
    Pair pair = new Pair(1, ilnp, TcpConfig.DEFAULT, 1500, 2);
    int[] served = {0};
    pair.listener =
        pair.cn.engine.listen(
            Pair.PORT,
            (now, p) -> {
              Stream s = new Stream(pair.cn, 100, 2, 1);
              s.on(p.accept(now, s));
              served[0]++;
            });
    int entries = 0;
    for (int i = 0; i < connections; i++) {
      Stream s = new Stream(pair.mn, 100, 1, 2);
      s.on(pair.mn.engine.connect(pair.net.now, pair.toCn(), Pair.PORT, s));
      pair.net.await(NanoClock.seconds(1), () -> s.ended);
      if (i % 3 == 0) {
        s.connection.abort(pair.net.now);
      }
      if (i == connections / 2) {
        entries = pair.mn.ilcc.size() + pair.cn.ilcc.size();
      }
    }
    assertThat(served[0]).isEqualTo(connections);
    assertThat(pair.mn.ilcc.size() + pair.cn.ilcc.size()).isEqualTo(entries);
    pair.listener.close();
    pair.net.assertNoLeaks();
  }
}
