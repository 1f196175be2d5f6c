package org.ilnp4j.util;

/** Arithmetic on 32-bit TCP sequence numbers, modulo 2^32 (RFC 9293 §3.4). */
public final class Seq {
  private Seq() {}

  /** Distance from {@code b} to {@code a}; positive when {@code a} is later. */
  public static int diff(int a, int b) {
    return a - b;
  }

  public static boolean lt(int a, int b) {
    return a - b < 0;
  }

  public static boolean leq(int a, int b) {
    return a - b <= 0;
  }

  public static boolean gt(int a, int b) {
    return a - b > 0;
  }

  public static boolean geq(int a, int b) {
    return a - b >= 0;
  }

  /** True when {@code x} lies in {@code [low, high)}. */
  public static boolean within(int x, int low, int high) {
    return Integer.compareUnsigned(x - low, high - low) < 0;
  }

  public static int max(int a, int b) {
    return geq(a, b) ? a : b;
  }

  public static int min(int a, int b) {
    return leq(a, b) ? a : b;
  }
}
