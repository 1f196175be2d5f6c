package org.ilnp4j.emulate;

/** One of the two ways through an emulated link. */
public enum Direction {
  LEFT_TO_RIGHT,
  RIGHT_TO_LEFT
}
