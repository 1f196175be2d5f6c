package org.ilnp4j.ilnp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.ilnp4j.time.NanoClock;
import org.ilnp4j.util.Counters;
import org.ilnp4j.util.DropReason;
import org.ilnp4j.wire.Ip6;
import org.ilnp4j.wire.NonceOption;
import org.ilnp4j.wire.PacketView;
import org.ilnp4j.wire.TcpHeader;
import org.junit.jupiter.api.BeforeEach;

/**
 * A correspondent cache, the packets that come to it, and a correspondent that has proved itself.
 */
abstract class IlccTestBase {
  static final long MN = 0x0214_4fff_feab_cd01L;
  static final long CN = 0x0214_4fff_feab_cd02L;
  static final long HOME = 0x2001_0db8_0001_0001L;
  static final long A = 0x2001_0db8_0002_0002L;
  static final long B = 0x2001_0db8_0003_0003L;
  static final long C = 0x2001_0db8_0004_0004L;
  static final int NONCE = 0x0badcafe;
  static final int OTHER_NONCE = 0x600dcafe;
  static final int NONE = 0;
  static final long SECOND = NanoClock.seconds(1);

  final Counters counters = new Counters();
  final Ilcc ilcc = new Ilcc(MN, 12, 8, new Random(5), counters);
  final List<String> changes = new ArrayList<>();
  final PacketView view = new PacketView();
  long now = 1000 * SECOND;

  @BeforeEach
  void attach() {
    ilcc.local().add(local(HOME, LocalLocator.State.ACTIVE));
    ilcc.observer((at, c) -> changes.add(c.id + " " + c.path()));
  }

  static LocalLocator local(long l64, LocalLocator.State state) {
    return new LocalLocator(l64, "wlan0", state, 10, NanoClock.NEVER);
  }

  // --- packets

  PacketView packet(long srcL64, long srcNid, int nonce, int protocol, String upper) {
    ByteBuf buf = Unpooled.buffer();
    byte[] body = org.ilnp4j.wire.Hex.bytes(upper);
    int ext = nonce == NONE ? 0 : 8;
    Ip6.write(
        buf,
        0,
        ext + body.length,
        ext == 0 ? protocol : Ip6.PROTO_DEST_OPTS,
        64,
        srcL64,
        srcNid,
        HOME,
        MN);
    if (nonce != NONE) {
      NonceOption.write(buf, protocol, 4, nonce, 0);
    }
    buf.writeBytes(body);
    assertThat(view.parse(buf)).isNull();
    return view;
  }

  PacketView tcp(long srcL64, long srcNid, int nonce, int flags) {
    return packet(
        srcL64,
        srcNid,
        nonce,
        Ip6.PROTO_TCP,
        String.format("0001 0002 00000000 00000000 50%02x ffff 0000 0000", flags));
  }

  PacketView data(long srcL64, int nonce) {
    return tcp(srcL64, CN, nonce, TcpHeader.ACK);
  }

  PacketView syn(long srcL64, int nonce) {
    return tcp(srcL64, CN, nonce, TcpHeader.SYN);
  }

  PacketView icmp(long srcL64, int nonce) {
    return packet(srcL64, CN, nonce, Ip6.PROTO_ICMP6, "80 00 0000 00010001");
  }

  PacketView udp(long srcL64, int nonce) {
    return packet(srcL64, CN, nonce, Ip6.PROTO_UDP, "0001 0002 0008 ffff");
  }

  void assertDropped(PacketView v, DropReason reason) {
    assertThat(ilcc.admit(now, v)).isEqualTo(reason);
    assertThat(ilcc.match()).isNull();
  }

  void assertMatch(PacketView v, Correspondent c) {
    assertThat(ilcc.admit(now, v)).isNull();
    assertThat(ilcc.match()).isSameAs(c);
  }

  /** CN at Locator A, proven by its nonce, with one session. */
  Correspondent provenCn() {
    Correspondent c = ilcc.open(now, CN, List.of(A), 3600 * SECOND);
    c.retain();
    assertMatch(tcp(A, CN, NONCE, TcpHeader.SYN | TcpHeader.ACK), c);
    c.proveBy(view);
    assertThat(c.isProven()).isTrue();
    return c;
  }

  void update(Correspondent c, Object... l64PreferenceLifetime) {
    int n = l64PreferenceLifetime.length / 3;
    long[] l64 = new long[n];
    int[] preference = new int[n];
    int[] lifetime = new int[n];
    for (int i = 0; i < n; i++) {
      l64[i] = (Long) l64PreferenceLifetime[3 * i];
      preference[i] = (Integer) l64PreferenceLifetime[3 * i + 1];
      lifetime[i] = (Integer) l64PreferenceLifetime[3 * i + 2];
    }
    ilcc.replaceLocators(now, c, n, l64, preference, lifetime);
  }

  static String states(Correspondent c) {
    StringBuilder s = new StringBuilder();
    for (RemoteLocator r : c.remoteLocators()) {
      s.append(s.length() == 0 ? "" : ", ");
      s.append(r.l64 == A ? "A" : r.l64 == B ? "B" : r.l64 == C ? "C" : Locator.format(r.l64));
      s.append(' ').append(r.state()).append(r.isLearned() ? " learned" : "");
    }
    return s.toString();
  }
}
