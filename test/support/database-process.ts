// A process that opens the database of a DATA_DIR, for tests that kill it. It prints `open` once the database is open.
// When its standard input ends, it closes the database and prints `closed`. With the argument `exit` it ends at once
// without closing.

import { openTestDatabase } from '#test/support/database.ts';

const [dataDir, role, then] = process.argv.slice(2);
const database = await openTestDatabase(dataDir!, { role: role === 'command' ? 'command' : 'service' });
await database.connect(1)`select 1`;
process.stdout.write('open\n');
if (then === 'exit') process.exit(3);
process.stdin.resume().once('end', async () => {
  await database.close();
  process.stdout.write('closed\n');
});
