// The PostgreSQL driver, with mistakes of the published version (3.4.9) corrected: patches/postgres+3.4.9.patch, which every
// install applies. Most of them show when a connection ends at the moment at which a statement is handed to it, as it does when
// the database restarts. Each place in the patch names its correction:
//
// P1 What was about to be sent stayed in its buffer, ahead of the greeting of the next connection, which hung.
// P2 A statement that is handed to a connection between its error and its end was never answered: it waited for ever, and with it
//    whoever sent it. A delivery thread that waited so would write nothing down any more.
// P3 The first statement on the next connection was refused with the error that ended the last one, or the refusal of that
//    connection was taken for an answer to the last one's statement.
// P4 A statement of a transaction whose connection has ended was written to no socket: an exception that ended the process.
// P5 So did a connection that ended while the driver asked it for the types of arrays.
// P6 A statement to a server that has vanished without a word, as a machine does that loses its power, was answered when TCP gave
//    up, after a quarter of an hour. `answerTimeoutS` of the `socket` option bounds the silence, and then all its connections end.
// P7 An answer may take longer than that, as long as something of it comes.
// P8 The wait for an answer ends with the connection, and keeps no process alive.
// P9 The driver carries the name of its patch, so that nobody runs on another one without noticing.

import published from 'postgres';
import { StorageError } from './storage-error.ts';

export type Driver = typeof published;

const PATCH = 'postgres+3.4.9.patch';

/** The driver; throws a StorageError when it is not the corrected one. */
export function correctedDriver(driver: Driver = published): Driver {
  if ('patch' in driver && driver.patch === PATCH) return driver;
  throw new StorageError(
    `node_modules/postgres: the database driver lacks its corrections (patches/${PATCH}), without which statements are lost. ` +
      'Install again: npm ci. Where that ran without scripts, apply them: npx patch-package.',
  );
}
