// Artifacts in shared memory: shared by their users, and bounded together.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARTIFACTS_OPEN_BYTES_MAX, ARTIFACTS_UNUSED_MAX } from '#engine/base/limits.ts';
import { ArtifactsFull, type LoadedArtifact, OpenArtifacts } from '#engine/intake/playback/open-artifacts.ts';
import { steadyTimeline } from '#test/support/timelines.ts';

const TIMELINE = steadyTimeline(1, 1_000);
const QUARTER = ARTIFACTS_OPEN_BYTES_MAX / 4;

class Artifacts {
  readonly open = new OpenArtifacts();
  /** By key: how often it was read. */
  readonly reads = new Map<string, number>();

  use(key: string, bytes = 1_000) {
    return this.open.use(key, bytes, async (): Promise<LoadedArtifact> => {
      this.reads.set(key, (this.reads.get(key) ?? 0) + 1);
      return { artifact: { bytes: new SharedArrayBuffer(8) }, timeline: TIMELINE, origin: '1-00000000-8' };
    });
  }
}

test('OA1: users of an artifact share one copy, however many others were opened in between', async () => {
  const artifacts = new Artifacts();
  const first = await artifacts.use('race');
  for (let i = 0; i < 5 * ARTIFACTS_UNUSED_MAX; i++) (await artifacts.use(`other ${i}`))!.release();
  const second = await artifacts.use('race');
  assert.equal(second!.artifact.bytes, first!.artifact.bytes);
  assert.equal(artifacts.reads.get('race'), 1);
  assert.equal((await Promise.all([artifacts.use('new'), artifacts.use('new')])).length, 2);
  assert.equal(artifacts.reads.get('new'), 1);
});

test('OA2: artifacts in use are never dropped: opening another one fails until one is released', async () => {
  const artifacts = new Artifacts();
  const used = await Promise.all(['a', 'b', 'c', 'd'].map((key) => artifacts.use(key, QUARTER)));
  await assert.rejects(artifacts.use('e', QUARTER), ArtifactsFull);
  const again = await artifacts.use('a', QUARTER);
  used[0]!.release();
  used[0]!.release();
  await assert.rejects(artifacts.use('e', QUARTER), ArtifactsFull, 'it has another user');
  again!.release();
  assert.notEqual(await artifacts.use('e', QUARTER), null);
  assert.equal(artifacts.reads.get('a'), 1);
});

test('OA2: unused artifacts make room, the longest unused first', async () => {
  const artifacts = new Artifacts();
  for (const key of ['a', 'b', 'c', 'd']) (await artifacts.use(key, QUARTER))!.release();
  (await artifacts.use('a', QUARTER))!.release();
  await artifacts.use('e', QUARTER);
  await artifacts.use('a', QUARTER);
  assert.equal(artifacts.reads.get('a'), 1);
  await artifacts.use('c', QUARTER);
  assert.equal(artifacts.reads.get('c'), 1);
  (await artifacts.use('d', QUARTER))!.release();
  assert.equal(artifacts.reads.get('d'), 1);
});

test('OA2: an artifact that is larger than all the memory opens alone', async () => {
  const artifacts = new Artifacts();
  const large = await artifacts.use('large', 2 * ARTIFACTS_OPEN_BYTES_MAX);
  await assert.rejects(artifacts.use('small', 1), ArtifactsFull);
  large!.release();
  assert.notEqual(await artifacts.use('small', 1), null);
});

test('an artifact that cannot be read takes no room, and is read again', async () => {
  const open = new OpenArtifacts();
  assert.equal(await open.use('a', ARTIFACTS_OPEN_BYTES_MAX, async () => null), null);
  const fails = open.use('a', ARTIFACTS_OPEN_BYTES_MAX, () => Promise.reject(new Error('a bad disk')));
  await assert.rejects(fails, /a bad disk/);
  const artifacts = { artifact: { bytes: new SharedArrayBuffer(8) }, timeline: TIMELINE, origin: '1-00000000-8' };
  assert.notEqual(await open.use('a', ARTIFACTS_OPEN_BYTES_MAX, async () => artifacts), null);
});
