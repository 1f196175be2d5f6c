/**
 * Time as a value. A {@link org.ilnp4j.time.NanoClock} starts near zero and never goes back, so
 * times compare with plain {@code <}. Only drivers own a clock; protocol code is handed {@code
 * nowNanos} and keeps its deadlines in a {@link org.ilnp4j.time.TimerQueue}.
 */
package org.ilnp4j.time;
