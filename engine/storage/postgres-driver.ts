// The PostgreSQL driver, with mistakes of the published version (3.4.9) put right while it is loaded. They show
// when a connection ends at the moment at which a statement is handed to it, as it does when the database restarts:
//
// P1 What was about to be sent stays in its buffer and goes out before the greeting of the next connection, which hangs.
// P2 A statement that is handed to a connection between its error and its end is never answered: it waits for ever, and with it
//    whoever sent it. A delivery thread that waited so would write nothing down any more.
// P3 The first statement on the next connection is refused with the error that ended the last one.
// P4 A statement of a transaction whose connection has ended is written to no socket: an exception that ends the process.
// P5 So does a connection that ends while the driver asks it for the types of arrays.
// P6 A statement to a server that has vanished without a word, as a machine does that loses its power, is answered when TCP gives
//    up, after a quarter of an hour. `answerTimeoutS` of the `socket` option bounds the silence, and then all its connections end.
//
// A version in which one of these places reads otherwise is refused at once, so that nobody runs without noticing.

import { registerHooks } from 'node:module';
import { assert } from '#engine/base/assert.ts';

/** What stands in the driver's `connection.js` once, and what belongs there. */
const CORRECTIONS: readonly (readonly [published: string, right: string])[] = [
  [
    `clearImmediate(nextWriteTimer)\n    socket.removeListener('data', data)`,
    `clearImmediate(nextWriteTimer)\n    nextWriteTimer = chunk = null\n    socket.removeListener('data', data)`,
  ],
  [
    "!hadError && (query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))",
    ";(query || sent.length) && error(Errors.connection('CONNECTION_CLOSED', options, socket))\n    query = errorResponse = null",
  ],
  [
    `if (terminated)\n      return queryError(q, Errors.connection('CONNECTION_DESTROYED', options))`,
    `if (terminated || !socket)\n      return (queryError(q, Errors.connection('CONNECTION_DESTROYED', options)), true)`,
  ],
  ['return fetchArrayTypes()', 'return fetchArrayTypes().catch(() => {})'],
  [
    ', connectTimer = timer(connectTimedOut, options.connect_timeout)',
    ', connectTimer = timer(connectTimedOut, options.connect_timeout)\n      , answerTimer = timer(unanswered, options.socket.answerTimeoutS)',
  ],
  [
    'function connectTimedOut() {',
    "function unanswered() {\n    if (!query || !socket) return\n    errored(Errors.connection('ETIMEDOUT', options, socket))\n    options.socket.giveUp()\n  }\n\n  function connectTimedOut() {",
  ],
  [': (query = q, query.active = true)', ': (query = q, query.active = true, answerTimer.start())'],
  ['function data(x) {', 'function data(x) {\n    query && answerTimer.start()'],
  [
    'connectTimer.cancel()\n\n    socket.removeAllListeners()',
    'connectTimer.cancel()\n    answerTimer.cancel()\n\n    socket.removeAllListeners()',
  ],
];

function corrected(source: string): string {
  return CORRECTIONS.reduce((text, [published, right]) => {
    assert(text.split(published).length === 2, 'the PostgreSQL driver reads as it did when it was put right');
    return text.replace(published, () => right);
  }, source);
}

async function load() {
  let found = false;
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith('/postgres/src/connection.js')) return loaded;
      found = true;
      return { ...loaded, source: corrected(String(loaded.source)) };
    },
  });
  try {
    const { default: driver } = await import('postgres');
    assert(found, 'nobody has loaded the PostgreSQL driver as it is');
    return driver;
  } finally {
    hooks.deregister();
  }
}

export const postgres = await load();
