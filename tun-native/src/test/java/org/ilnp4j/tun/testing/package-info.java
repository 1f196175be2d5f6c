/**
 * What tests against a real kernel need: network namespaces that are always removed again, and the
 * condition that skips such tests with one clear line where they cannot run. Published as the test
 * jar of this module for the tests of the others.
 */
package org.ilnp4j.tun.testing;
