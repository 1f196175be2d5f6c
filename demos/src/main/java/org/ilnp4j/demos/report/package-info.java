/**
 * Figures as data: the one object that every experiment and benchmark prints, with a row for each
 * cell that was measured and a claim for each figure that is promised. Its fields are described in
 * {@code docs/experiments.md} and do not change silently.
 */
package org.ilnp4j.demos.report;
