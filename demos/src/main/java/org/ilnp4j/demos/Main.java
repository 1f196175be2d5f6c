package org.ilnp4j.demos;

/** The {@code ilnp} program. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    System.exit(0);
  }
}
