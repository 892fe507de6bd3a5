/** Well-known packages of the npm registry, and the folders of each that hold what its people wrote. */

import fs from 'node:fs';
import path from 'node:path';

/** Where a package has no TypeScript, its compiled or hand-written JavaScript is checked. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  ioredis: ['built'],
  bullmq: ['dist/cjs'],
  got: ['dist/source'],
  'p-queue': ['dist'],
  undici: ['lib', 'index.js'],
  fastify: ['lib', 'fastify.js'],
  knex: ['lib'],
  typeorm: ['.'],
  mqtt: ['build'],
  kafkajs: ['src'],
  mongodb: ['src'],
  '@grpc/grpc-js': ['src'],
  rxjs: ['src'],
  pino: ['lib', 'pino.js'],
  ws: ['lib'],
  amqplib: ['lib'],
};

/** Another build of the same, tests and pages. */
const LEFT_OUT = /^(?:node_modules|browser|test|tests|__tests__|doc|docs)$/;

export function sourcesOf(folder: string): string[] {
  if (fs.statSync(folder).isFile()) return [folder];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.test(entry.name) ? [] : sourcesOf(file);
    const isSource = /\.[cm]?[jt]s$/.test(entry.name) && !/\.d\.[cm]?ts$|\.min\./.test(entry.name);
    return isSource ? [file] : [];
  });
}
