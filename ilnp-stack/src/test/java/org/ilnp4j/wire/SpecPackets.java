package org.ilnp4j.wire;

/**
 * Whole packets with known bytes: MN {@code 214:4fff:feab:cd01} moves from Locator {@code
 * 2001:db8:1:1} to {@code 2001:db8:3:3}, CN {@code 214:4fff:feab:cd02} stays at {@code
 * 2001:db8:2:2}. MN sends nonce a1b2c3d4, CN 0badcafe. Those marked so were decoded by an
 * independent dissector.
 */
public final class SpecPackets {
  public static final long MN = 0x0214_4fff_feab_cd01L;
  public static final long CN = 0x0214_4fff_feab_cd02L;
  public static final long MN_OLD = 0x2001_0db8_0001_0001L;
  public static final long MN_NEW = 0x2001_0db8_0003_0003L;
  public static final long CN_L64 = 0x2001_0db8_0002_0002L;
  public static final int MN_NONCE = 0xa1b2c3d4;
  public static final long MN_NONCE_LOW = 0xe5f60718_293a4b5cL;
  public static final int CN_NONCE = 0x0badcafe;

  /** TCP SYN with a 4-octet nonce (dissected). */
  public static final String SYN =
      """
      0000  60 00 00 00 00 20 3c 40 20 01 0d b8 00 01 00 01   ver6, plen 32, NH 60, HL 64 | src L64
      0010  02 14 4f ff fe ab cd 01 20 01 0d b8 00 02 00 02   src NID | dst L64
      0020  02 14 4f ff fe ab cd 02 06 00 8b 04 a1 b2 c3 d4   dst NID | NH 6, len 0, 0x8B, 4, nonce
      0030  9c 40 1f 90 01 02 03 04 00 00 00 00 60 02 ff ff   40000>8080 SYN win 65535
      0040  9c e1 00 00 02 04 05 a0                           cksum 0x9ce1, MSS 1440
      """;

  /** The same SYN with a 12-octet nonce (dissected). */
  public static final String SYN_LONG_NONCE =
      """
      0000  60 00 00 00 00 28 3c 40 20 01 0d b8 00 01 00 01
      0010  02 14 4f ff fe ab cd 01 20 01 0d b8 00 02 00 02
      0020  02 14 4f ff fe ab cd 02 06 01 8b 0c a1 b2 c3 d4
      0030  e5 f6 07 18 29 3a 4b 5c 9c 40 1f 90 01 02 03 04
      0040  00 00 00 00 60 02 ff ff 9c e1 00 00 02 04 05 a0
      """;

  /** UDP "hello", 40000 to 9000. */
  public static final String UDP_HELLO =
      """
      0000  60 00 00 00 00 15 3c 40 20 01 0d b8 00 01 00 01
      0010  02 14 4f ff fe ab cd 01 20 01 0d b8 00 02 00 02
      0020  02 14 4f ff fe ab cd 02 11 00 8b 04 a1 b2 c3 d4
      0030  9c 40 23 28 00 0d c1 16 68 65 6c 6c 6f
      """;

  /** Locator Update after a hard handoff: the new Locator, preference 10, lifetime 30 s. */
  public static final String LU_HARD =
      """
      0000  60 00 00 00 00 1c 3c 40 20 01 0d b8 00 03 00 03
      0010  02 14 4f ff fe ab cd 01 20 01 0d b8 00 02 00 02
      0020  02 14 4f ff fe ab cd 02 3a 00 8b 04 a1 b2 c3 d4   NH 58 after the nonce header
      0030  9c 00 9d c9 01 01 00 00 20 01 0d b8 00 03 00 03   156,0,cksum, n=1, op=1, rsvd | locator
      0040  00 0a 00 1e                                       pref 10, lifetime 30
      """;

  /** Locator Update of a soft handoff: new Locator 10/30 s, old one 20/12 s (dissected). */
  public static final String LU_SOFT =
      """
      0000  60 00 00 00 00 28 3c 40 20 01 0d b8 00 03 00 03
      0010  02 14 4f ff fe ab cd 01 20 01 0d b8 00 02 00 02
      0020  02 14 4f ff fe ab cd 02 3a 00 8b 04 a1 b2 c3 d4
      0030  9c 00 6e e2 02 01 00 00 20 01 0d b8 00 03 00 03
      0040  00 0a 00 1e 20 01 0d b8 00 01 00 01 00 14 00 0c
      """;

  /** The Acknowledgement of {@link #LU_SOFT}, with the CN's own nonce. */
  public static final String LU_SOFT_ACK =
      """
      0000  60 00 00 00 00 28 3c 40 20 01 0d b8 00 02 00 02
      0010  02 14 4f ff fe ab cd 02 20 01 0d b8 00 03 00 03
      0020  02 14 4f ff fe ab cd 01 3a 00 8b 04 0b ad ca fe
      0030  9c 00 6e e1 02 02 00 00 20 01 0d b8 00 03 00 03
      0040  00 0a 00 1e 20 01 0d b8 00 01 00 01 00 14 00 0c
      """;

  /** What a host without ILNP answers to {@link #SYN} (dissected). */
  public static final String PARAMETER_PROBLEM =
      """
      0000  60 00 00 00 00 50 3a 40 20 01 0d b8 00 02 00 02
      0010  02 14 4f ff fe ab cd 02 20 01 0d b8 00 01 00 01
      0020  02 14 4f ff fe ab cd 01 04 02 76 07 00 00 00 2a   type 4 code 2, pointer 42
      0030  60 00 00 00 00 20 3c 40 20 01 0d b8 00 01 00 01   invoking packet follows
      0040  02 14 4f ff fe ab cd 01 20 01 0d b8 00 02 00 02
      0050  02 14 4f ff fe ab cd 02 06 00 8b 04 a1 b2 c3 d4
      0060  9c 40 1f 90 01 02 03 04 00 00 00 00 60 02 ff ff
      0070  9c e1 00 00 02 04 05 a0
      """;

  private SpecPackets() {}
}
