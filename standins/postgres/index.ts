/** `detsim/postgres`: a PostgreSQL server for inside of a simulation. */
export { SqlError } from './errors.js';
export { PostgresServer, type PostgresOptions } from './server.js';
