// The tests that every recording store must pass. Each implementation's test file runs them.

import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { StagedFile } from '#engine/base/staged-file.ts';
import { readAt } from '#engine/intake/recording/read-at.ts';
import { recordingFile, type StagedRecording, stageRecording } from '#engine/intake/recording/recording-import.ts';
import type { FinishedRecording, RecordingStore } from '#engine/intake/recording/recording-store.ts';
import type { SessionCatalogue, SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import { parseSessionId, type SessionId } from '#engine/intake/recording/session-id.ts';
import { fingerprintRecording } from '#engine/timeline/recording-fingerprint.ts';

export interface RecordingStoreHarness {
  /** A store on a folder that is empty at first. */
  readonly store: RecordingStore;
  readonly dataDir: string;
  /** Another one on the same recordings, as a command has. */
  readonly otherStore: RecordingStore;
  readonly catalogue: Pick<SessionCatalogue, 'find'>;
}

let sessions = 0;

/** The id of a session that no other test has. */
export function newSession(): SessionId {
  sessions++;
  return parseSessionId(`2026-round-${sessions}-race`)!;
}

/** A finished recording of as many frames, which take more than two pieces. */
export function finished(dataDir: string, sessionId: SessionId, text: string, frames = 3): StagedRecording {
  return stageRecording(
    recordingFile(dataDir, sessionId),
    { sessionId, seriesId: 'f1', origin: text },
    Array.from({ length: frames }, (_, index) => ({
      utcMs: index,
      topic: 'LapCount',
      json: JSON.stringify({ text: text.padEnd(1_000_000, `${text}${index}`) }),
    })),
  );
}

/** As an import publishes it. */
function publishable(staged: StagedFile): FinishedRecording {
  return { file: staged.temporary, place: () => staged.publish() };
}

export function entryOf(sessionId: SessionId, frameCount: number, changes: Partial<SessionEntry> = {}): SessionEntry {
  return {
    sessionId,
    seriesId: 'f1',
    name: 'Race',
    type: 'Race',
    circuitName: 'Testring',
    season: 2026,
    startUtcMs: 0,
    durationMs: 1,
    frameCount,
    updateCount: 1,
    feeds: {},
    demo: false,
    ...changes,
  };
}

/** Megabytes that differ would be shown by assert.deepEqual, which takes minutes. */
export function assertBytes(actual: Uint8Array, expected: Uint8Array, message?: string): void {
  assert.ok(Buffer.compare(actual, expected) === 0, message ?? 'these are the bytes');
}

/** Publishes a recording whose number of frames its entry has, too. Returns its bytes. */
export async function published(
  { store, dataDir }: Pick<RecordingStoreHarness, 'store' | 'dataDir'>,
  sessionId: SessionId,
  text: string,
  frames = 3,
): Promise<Buffer> {
  const { staged } = finished(dataDir, sessionId, text, frames);
  const bytes = readFileSync(staged.temporary);
  await store.publish(entryOf(sessionId, frames), publishable(staged));
  return bytes;
}

export function recordingStoreConformance(
  name: string,
  harness: (t: TestContext) => Promise<RecordingStoreHarness>,
): void {
  describe(`${name} as a recording store`, () => {
    test('a session without a recording has none, and none can be fetched', async (t) => {
      const { store } = await harness(t);
      assert.equal(await store.find(newSession()), null);
      await assert.rejects(store.fetch(newSession()), { name: 'RecordingError', code: 'missing' });
    });

    test('a published recording is found with its fingerprint, fetched as it was, and in the catalogue', async (t) => {
      const parts = await harness(t);
      const { store, otherStore, catalogue } = parts;
      const sessionId = newSession();
      const bytes = await published(parts, sessionId, 'first');
      const file = await store.fetch(sessionId);
      assertBytes(readFileSync(file), bytes);
      const found = (await store.find(sessionId))!;
      assert.deepEqual(await found.fingerprint(), await fingerprintRecording(file));
      assert.equal((await otherStore.find(sessionId))!.version, found.version);
      assert.deepEqual(await catalogue.find(sessionId), entryOf(sessionId, 3));
      assert.equal(await store.find(newSession()), null, 'of no other session');
    });

    test('of several sessions, those with a recording are found together', async (t) => {
      const parts = await harness(t);
      const sessions = [newSession(), newSession(), newSession()];
      for (const sessionId of sessions.slice(1)) await published(parts, sessionId, 'first');
      const found = await parts.store.findAll(sessions);
      assert.deepEqual([...found.keys()].sort(), sessions.slice(1).sort());
      for (const [sessionId, { version }] of found) assert.equal(version, (await parts.store.find(sessionId))!.version);
      assert.equal((await parts.store.findAll([])).size, 0);
    });

    test('another recording of the session replaces it at once, and never for a reader that has opened it', async (t) => {
      const parts = await harness(t);
      const { store, otherStore, dataDir, catalogue } = parts;
      const sessionId = newSession();
      const first = await published(parts, sessionId, 'first');
      const before = (await otherStore.find(sessionId))!;
      const reader = openSync(await store.fetch(sessionId), 'r');
      t.after(() => closeSync(reader));
      const second = await published({ store: otherStore, dataDir }, sessionId, 'second', 4);
      assert.notEqual((await store.find(sessionId))!.version, before.version);
      assertBytes(readFileSync(await store.fetch(sessionId)), second);
      assert.equal((await catalogue.find(sessionId))!.frameCount, 4);
      assertBytes(readAt(reader, 0, first.length), first);
    });

    test('publishing the same bytes again changes the entry only', async (t) => {
      const parts = await harness(t);
      const { store, dataDir, catalogue } = parts;
      const sessionId = newSession();
      const bytes = await published(parts, sessionId, 'first');
      const { staged } = finished(dataDir, sessionId, 'first');
      const entry = entryOf(sessionId, 3, { name: 'Renamed' });
      await store.publish(entry, publishable(staged));
      assertBytes(readFileSync(await store.fetch(sessionId)), bytes);
      assert.deepEqual(await catalogue.find(sessionId), entry);
    });

    test('a session whose upstream names it with NUL characters, which PostgreSQL keeps in no text, is published', async (t) => {
      const { store, dataDir, catalogue } = await harness(t);
      const sessionId = newSession();
      const { staged } = finished(dataDir, sessionId, 'first');
      t.after(() => staged.discard());
      const named = entryOf(sessionId, 3, { name: 'Miami\0 Grand Prix\0', circuitName: '\0Miami' });
      await store.publish(named, publishable(staged));
      const kept = { name: 'Miami Grand Prix', circuitName: 'Miami' };
      assert.deepEqual(await catalogue.find(sessionId), entryOf(sessionId, 3, kept));
    });

    test('if the catalogue refuses the entry, the earlier recording stays', async (t) => {
      const parts = await harness(t);
      const { store, dataDir, catalogue } = parts;
      const sessionId = newSession();
      const bytes = await published(parts, sessionId, 'first');
      const { staged } = finished(dataDir, sessionId, 'second', 4);
      const impossible = entryOf(sessionId, 4, { season: 2 ** 40 });
      await assert.rejects(store.publish(impossible, publishable(staged)), /out of range|2\^40|1099511627776/);
      staged.discard();
      assertBytes(readFileSync(await store.fetch(sessionId)), bytes);
      assert.deepEqual(await catalogue.find(sessionId), entryOf(sessionId, 3));
    });

    test('if the file cannot get its name, recording and entry still agree, and the next try works', async (t) => {
      const parts = await harness(t);
      const { store, dataDir, catalogue } = parts;
      const sessionId = newSession();
      const first = await published(parts, sessionId, 'first');
      const { staged } = finished(dataDir, sessionId, 'second', 4);
      const second = readFileSync(staged.temporary);
      const entry = entryOf(sessionId, 4);
      const place = (): void => {
        throw new Error('the disk is read-only');
      };
      await assert.rejects(store.publish(entry, { file: staged.temporary, place }), /read-only/);
      const { frameCount } = (await catalogue.find(sessionId))!;
      assertBytes(readFileSync(await store.fetch(sessionId)), frameCount === 4 ? second : first);
      await store.publish(entry, publishable(staged));
      assertBytes(readFileSync(await store.fetch(sessionId)), second);
      assert.equal((await catalogue.find(sessionId))!.frameCount, 4);
    });

    test('of several that publish at once one is last: its recording and its entry stay together', async (t) => {
      const { store, otherStore, dataDir, catalogue } = await harness(t);
      const sessionId = newSession();
      const all = await Promise.all(
        ['one', 'two', 'three', 'four'].map((text, index) =>
          published({ store: index % 2 === 0 ? store : otherStore, dataDir }, sessionId, text, index + 1),
        ),
      );
      const { frameCount } = (await catalogue.find(sessionId))!;
      assertBytes(readFileSync(await store.fetch(sessionId)), all[frameCount - 1]!);
      assertBytes(readFileSync(await otherStore.fetch(sessionId)), all[frameCount - 1]!);
    });

    test('those who ask at once all get the file, in DATA_DIR', async (t) => {
      const parts = await harness(t);
      const { store, dataDir } = parts;
      const sessionId = newSession();
      await published(parts, sessionId, 'first');
      const files = await Promise.all(Array.from({ length: 5 }, () => store.fetch(sessionId)));
      assert.deepEqual(new Set(files), new Set([join(dataDir, 'recordings', `${sessionId}.frames`)]));
    });
  });
}
