// Where the PostgreSQL programs are run from, and as whom.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ownedFolder } from '#engine/storage/embedded/owned-folder.ts';
import { copyOfPrograms, findPackage, serverBinaries } from '#engine/storage/embedded/server-binaries.ts';
import { canReach, systemServerUser } from '#engine/storage/embedded/server-user.ts';
import { silentLog } from '#test/support/database.ts';

const SELF = process.geteuid!();

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipstream-test-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('the programs are used where npm put them when we can run them there', async (t) => {
  const { postgres, version } = await serverBinaries(null, folderOf(t), silentLog);
  assert.match(postgres, /node_modules/);
  assert.ok(
    execFileSync(postgres, ['--version'], { encoding: 'utf8' }).includes(version.split('-')[0]!.replace('.0', '')),
  );
});

test('a copy runs by itself, is made once, and is made again when it is not whole', async (t) => {
  const cache = folderOf(t);
  const found = await findPackage();
  const copies = await Promise.all([copyOfPrograms(found, cache, silentLog), copyOfPrograms(found, cache, silentLog)]);
  const [copy] = copies;
  assert.deepEqual(copies, [copy, copy]);
  assert.deepEqual(readdirSync(cache).length, 1);
  const postgres = join(copy!, 'bin', 'postgres');
  execFileSync(postgres, ['--version']);
  const { ino } = statSync(postgres);
  await copyOfPrograms(found, cache, silentLog);
  assert.equal(statSync(postgres).ino, ino);
  truncateSync(postgres, 100);
  await copyOfPrograms(found, cache, silentLog);
  execFileSync(postgres, ['--version']);
  rmSync(join(copy!, found.links[0]!.path));
  await copyOfPrograms(found, cache, silentLog);
  assert.deepEqual(readdirSync(cache).length, 1);
});

test('a copy that others can write to is not used', async (t) => {
  const cache = folderOf(t);
  const found = await findPackage();
  chmodSync(await copyOfPrograms(found, cache, silentLog), 0o777);
  await assert.rejects(copyOfPrograms(found, cache, silentLog), /is not a folder that only this user can write to/);
});

test('a folder is ours only if it is a folder, of the right owner, and closed to the writing of others', async (t) => {
  const base = folderOf(t);
  const path = join(base, 'own');
  await ownedFolder(path, 0o711, [SELF]);
  assert.equal(statSync(path).mode & 0o777, 0o711);
  await ownedFolder(path, 0o711, [SELF]);
  await assert.rejects(ownedFolder(path, 0o711, [SELF + 1]), /belongs to user id/);
  chmodSync(path, 0o775);
  await assert.rejects(ownedFolder(path, 0o711, [SELF]), /Other users can write to/);
  symlinkSync(base, join(base, 'link'));
  await assert.rejects(ownedFolder(join(base, 'link'), 0o711, [SELF]), /is in the way/);
  writeFileSync(join(base, 'file'), '');
  await assert.rejects(ownedFolder(join(base, 'file'), 0o711, [SELF]), /is in the way/);
});

test('the user postgres is preferred to nobody, and root is never taken', () => {
  const line = (name: string, uid: number) => `${name}:x:${uid}:${uid}::/:/bin/false`;
  const nobody = line('nobody', 65_534);
  assert.equal(systemServerUser([nobody, line('postgres', 101)].join('\n')).name, 'postgres');
  assert.deepEqual(systemServerUser(`${nobody}\n`), { name: 'nobody', uid: 65_534, gid: 65_534 });
  assert.equal(systemServerUser([line('postgres', 0), nobody].join('\n')).name, 'nobody');
  assert.throws(() => systemServerUser(line('root', 0)), /neither a user postgres nor nobody.*DATABASE_URL/);
});

test('a user reaches a file only through folders that are open to it', (t) => {
  const base = folderOf(t);
  chmodSync(base, 0o711);
  mkdirSync(join(base, 'in'));
  const file = join(base, 'in', 'file');
  writeFileSync(file, '', { mode: 0o644 });
  const stranger = { uid: SELF + 77_777, gid: process.getegid!() + 77_777, name: 'stranger' };
  assert.equal(canReach(stranger, file, 4), true);
  assert.equal(canReach(stranger, file, 1), false);
  chmodSync(join(base, 'in'), 0o750);
  assert.equal(canReach(stranger, file, 4), false);
  assert.equal(canReach({ ...stranger, gid: process.getegid!() }, file, 4), true);
  assert.equal(canReach(stranger, join(base, 'none'), 4), false);
});
