package org.ilnp4j.pkt;

/**
 * What a socket call returned.
 *
 * @param errno symbol, "" when it went well
 */
record Result(long value, String errno) {
  /** It cannot return yet. */
  static final Result BLOCKS = new Result(-1, "(blocks)");

  static Result of(long value) {
    return new Result(value, "");
  }

  static Result error(String errno) {
    return new Result(-1, errno);
  }

  /** To be tried again after every turn of the stack until it does not block. */
  interface Attempt {
    Result now();
  }

  @Override
  public String toString() {
    return errno.isEmpty() ? Long.toString(value) : value + " " + errno;
  }
}
