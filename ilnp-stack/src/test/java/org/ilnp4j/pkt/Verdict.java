package org.ilnp4j.pkt;

/** How a script ended. */
enum Verdict {
  PASS,
  FAIL,
  /** It asks for something that this stack or this interpreter does not have. */
  UNSUPPORTED
}
