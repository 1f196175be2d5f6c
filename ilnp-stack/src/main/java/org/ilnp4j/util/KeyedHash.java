package org.ilnp4j.util;

import java.util.random.RandomGenerator;
import org.bouncycastle.crypto.macs.SipHash;
import org.bouncycastle.crypto.params.KeyParameter;

/** A keyed 64-bit hash (SipHash-2-4) over a few longs, for values an outsider must not predict. */
public final class KeyedHash {
  private final SipHash sip = new SipHash();
  private final byte[] word = new byte[8];

  /** Draws a fresh 128-bit key from {@code random}. */
  public KeyedHash(RandomGenerator random) {
    byte[] key = new byte[16];
    random.nextBytes(key);
    sip.init(new KeyParameter(key));
  }

  public long hash(long a, long b, long c) {
    update(a);
    update(b);
    update(c);
    return sip.doFinal();
  }

  private void update(long v) {
    for (int i = 0; i < 8; i++) {
      word[i] = (byte) (v >>> (8 * i));
    }
    sip.update(word, 0, 8);
  }
}
