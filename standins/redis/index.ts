/**
 * `detsim/redis`: a Redis that lives where it is started: inside a simulation on simulated sockets
 * and in virtual time, on plain Node on real ones.
 */

export { RedisServer } from './server.js';
