// Which of several servers is taken for the one that takes writes, and how long that takes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DATABASE_ROLE_FIRST_GRACE_MS, DATABASE_ROLE_GRACE_MS } from '#engine/base/limits.ts';
import { findPrimary, type ServerRole } from '#engine/storage/primary-finder.ts';
import { announcePrimary, doubtPrimary, primaryOf, serverGroup } from '#engine/storage/server-group.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const WAIT_MS = 2_000;
const STANDBY: ServerRole = { kind: 'other', reason: 'a standby' };
const primary = (timeline: number): ServerRole => ({ kind: 'primary', timeline });

/** Three servers that answer what `roles` holds at the time; null: only when the wait is over. */
function stage(...roles: (ServerRole | null)[]) {
  const time = new SimulatedTime();
  const group = serverGroup([1, 2, 3].map((number) => ({ host: `db${number}`, port: 5432 })));
  const asked = [0, 0, 0];
  const ask = async (index: number, waitMs: number): Promise<ServerRole> => {
    asked[index]!++;
    const role = roles[index]!;
    if (role !== null) return role;
    await time.sleep(waitMs);
    return { kind: 'failed', reason: `db${index + 1} is silent` };
  };
  const find = () => {
    let over: number | string | null = null;
    findPrimary(group, ask, WAIT_MS, time).then(
      (index) => {
        over = index;
      },
      (error: Error) => {
        over = error.message;
      },
    );
    return { over: () => over };
  };
  return { time, group, roles, asked, find };
}

test('PF1: a server that does not answer at all holds nothing up', async () => {
  const { time, group, find } = stage(null, STANDBY, primary(1));
  const first = find();
  await time.pass(DATABASE_ROLE_FIRST_GRACE_MS - 1);
  assert.equal(first.over(), null, 'another may be on a newer timeline');
  await time.pass(1);
  assert.equal(first.over(), 2);
  assert.equal(primaryOf(group).index, 2);
  doubtPrimary(group, primaryOf(group).token);
  const second = find();
  await time.pass(DATABASE_ROLE_GRACE_MS);
  assert.equal(second.over(), 2);
});

test('PF2, PF3: the newest timeline is believed, and no older one after it', async () => {
  const { time, group, roles, find } = stage(primary(1), primary(3), primary(2));
  const first = find();
  await time.pass(0);
  assert.equal(first.over(), 1);
  doubtPrimary(group, primaryOf(group).token);
  roles[1] = { kind: 'failed', reason: 'db2 is away' };
  const second = find();
  await time.pass(0);
  assert.equal(
    second.over(),
    'no server takes writes: db1:5432 takes writes on timeline 1, but has been replaced: there is timeline 3; ' +
      'db2 is away; db3:5432 takes writes on timeline 2, but has been replaced: there is timeline 3',
  );
});

test('PF4: a standby that is promoted while the old primary is silent is found', async () => {
  const { time, roles, find } = stage(null, STANDBY, STANDBY);
  const finding = find();
  await time.pass(2 * DATABASE_ROLE_GRACE_MS);
  assert.equal(finding.over(), null);
  roles[2] = primary(2);
  await time.pass(DATABASE_ROLE_GRACE_MS + DATABASE_ROLE_FIRST_GRACE_MS);
  assert.equal(finding.over(), 2);
});

test('no server is asked for longer than the wait, and each is named', async () => {
  const { time, find } = stage(null, STANDBY, STANDBY);
  const finding = find();
  await time.pass(WAIT_MS);
  assert.equal(finding.over(), 'no server takes writes: db1 is silent; a standby; a standby');
});

test('a doubt about an older finding does not touch a newer one', () => {
  const { group } = stage();
  announcePrimary(group, 0, 1);
  const { token } = primaryOf(group);
  announcePrimary(group, 1, 2);
  doubtPrimary(group, token);
  assert.equal(primaryOf(group).index, 1);
  announcePrimary(group, 0, 1);
  assert.equal(primaryOf(group).index, 1, 'an older timeline');
});
