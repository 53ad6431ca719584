// The PostgreSQL driver (3.4.9) with its defects corrected by patches/postgres+3.4.9.patch, which every install
// applies. Most of the defects appear when a connection ends just as it is given a statement, as happens when the
// database restarts. Each place in the patch names its correction:
//
// P1 Unsent bytes stayed in the buffer, ahead of the startup message of the next connection, which then hung.
// P2 A statement given to a connection between its error and its end never finished, and its caller waited for ever. A
//    delivery thread in that state would record nothing any more.
// P3 The first statement on the next connection failed with the error that had ended the last one, or a refusal of that
//    connection was taken for the response to the last one's statement.
// P4 A statement in a transaction whose connection had ended was written to no socket: an exception that ended the
//    process.
// P5 The same happened when a connection ended while the driver was querying it for the types of arrays.
// P6 A statement to a server that vanished silently, as a machine does when it loses power, failed only when TCP gave
//    up, after a quarter of an hour. `answerTimeoutS` of the `socket` option bounds the silence. Then all connections
//    of the client end.
// P7 A response may take longer than that as long as parts of it keep arriving.
// P8 The wait for a response ends with the connection and does not keep the process alive.
// P9 The driver carries the name of its patch, so an unpatched one is noticed.
// P10 After the rows of a COPY that were read slowly, the connection stayed silent: the next statement waited for ever, and
//    so did a backup with a large table.
// P11 A connection to a standby was taken for one that can write: `target_session_attrs=read-write` looks only at
//    `default_transaction_read_only`, which is off there. `refusal` of the `socket` option decides, before a statement goes
//    over the connection.
// P12 A server that had become read-only was kept, and each statement on it failed. `failed` of the `socket` option hears
//    of each failure.
// P13 The certificate of a server that is named by its address was checked for the name localhost.
// P14 A client that was ended while its socket was being made connected after all, and kept the process alive.

import published from 'postgres';
import { StorageError } from './storage-error.ts';

export type Driver = typeof published;

const PATCH = 'postgres+3.4.9.patch';

/** Returns the driver. Throws a StorageError when it is not the patched one. */
export function correctedDriver(driver: Driver = published): Driver {
  if ('patch' in driver && driver.patch === PATCH) return driver;
  throw new StorageError(
    `node_modules/postgres: the database driver is not patched (patches/${PATCH}) and would lose statements. ` +
      'Install again: npm ci. If that ran without scripts, apply the patch: npx patch-package',
  );
}
