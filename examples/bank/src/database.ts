/** The database, with what is in it at first. */

import { PostgresServer } from 'detsim/postgres';

const setup = `
  CREATE TABLE accounts (name text PRIMARY KEY, balance int NOT NULL);
  CREATE TABLE payments (id serial PRIMARY KEY, account text NOT NULL, amount int NOT NULL,
                         done boolean NOT NULL DEFAULT false);
  INSERT INTO accounts VALUES ('alice', 100), ('bob', 0), ('carol', 0);
`;

void new PostgresServer({ setup }).listen(5432, '0.0.0.0');
