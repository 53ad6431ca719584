// A process that dies at once, as with `kill -9`, in the middle of publishing or fetching a recording.
//
//   node killed-store.ts '{"connection":...,"dataDir":...,"sessionId":...,"does":"publish"}'

import { systemClock } from '#engine/base/clock.ts';
import { PostgresRecordings } from '#engine/intake/recording/postgres-recordings.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { connect } from '#engine/storage/postgres-client.ts';
import { published } from '#test/conformance/recording-store.ts';

const { connection, dataDir, sessionId, does } = JSON.parse(process.argv[2]!);
/** A store asks for the time before the first piece, and after each. */
const ASKED_IN_THE_MIDDLE = 4;
let asked = 0;
const clock = {
  nowMs(): number {
    asked++;
    if (asked === ASKED_IN_THE_MIDDLE) process.kill(process.pid, 'SIGKILL');
    return 0;
  },
};
const sql = connect(connection, { max: 1, name: 'killed', clock: systemClock });
const store = new PostgresRecordings({ sql, dataDir, clock, log: { info() {}, warn() {}, error() {} } });
const session = parseSessionId(sessionId)!;
if (does === 'publish') await published({ store, dataDir }, session, 'of a process that was killed', 5);
else await store.fetch(session);
