/**
 * The frame of {@code ilnp experiment}: published results, each reproduced by one command. An
 * {@link org.ilnp4j.demos.experiment.Experiment} measures; the frame gives it a seed and a place
 * for progress, and writes what it found as a table, JSON and CSV.
 */
package org.ilnp4j.demos.experiment;
