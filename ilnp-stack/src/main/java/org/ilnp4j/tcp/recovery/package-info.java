/**
 * What was sent and what became of it: records of segments in flight, RTT and RTO estimation, loss
 * detection and recovery, one RFC per class. Everything here is kept per path, so that nothing sent
 * on one path is judged by what happened on another.
 */
package org.ilnp4j.tcp.recovery;
