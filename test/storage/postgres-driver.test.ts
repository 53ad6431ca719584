// Shows that the patched driver is correct, and that each change of the patch is needed: every scenario runs with the
// installed driver, and with copies that lack one change each and show the fault.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { withDatabase } from '#test/support/database.ts';
import { copyDriver, driverChanges, INSTALLED_DRIVER } from '#test/support/driver-patch.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { SCENARIOS } from './driver-scenarios.ts';
import { faultOf } from './driver-trial.ts';

/** For what comes, on a machine that has other things to do, and for what never comes. */
const PATIENCE_MS = 20_000;
const IMPATIENCE_MS = 1_000;

const { database } = await withDatabase({ after });
const { connection } = database;
const changes = driverChanges();

test('each change of the patch belongs to a correction with a scenario', () => {
  const corrections = new Set(changes.map(({ correction }) => correction));
  assert.deepEqual([...corrections].sort(), [...new Set(SCENARIOS.map(({ correction }) => correction))].sort());
});

for (const { correction, title, fault } of SCENARIOS) {
  test(`${correction}: ${title}`, { timeout: 60_000 }, async (t) => {
    const folder = temporaryFolder(t);
    const own = changes.filter((change) => change.correction === correction);
    const whole = faultOf({ title, connection, driverUrl: INSTALLED_DRIVER, patienceMs: PATIENCE_MS });
    const lacking = own.map((change) =>
      faultOf({ title, connection, driverUrl: copyDriver(folder, [change]), patienceMs: IMPATIENCE_MS }),
    );
    assert.equal(await whole, null);
    for (const [index, seen] of (await Promise.all(lacking)).entries())
      assert.match(String(seen), fault, `without ${own[index]!.added.join('\n')}`);
  });
}
