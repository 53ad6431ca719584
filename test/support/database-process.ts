// A process of its own that opens the database of a DATA_DIR, for tests of what happens when such a process is killed.
// It says `open` when it has, closes the database when its standard input ends, and says `closed`. The argument `exit`
// makes it end at once without closing.

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
