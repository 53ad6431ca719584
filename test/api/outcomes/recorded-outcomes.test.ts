// Outcomes of recordings on disk: read once, cached until the file changes, a bounded number at a time.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type ReadOutcome, RecordedOutcomes } from '#api/outcomes/recorded-outcomes.ts';
import { OUTCOMES_READ_MAX } from '#engine/base/limits.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { importRecording, recordingFile } from '#engine/intake/recording/recording-import.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { RecordedLog } from '#test/support/live-sessions.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { PiscinaOutcomeReader } from '#workers/tasks/piscina-outcome-reader.ts';

const OUTCOME: SessionOutcome = {
  phase: 'finished',
  currentLap: 1,
  totalLaps: 1,
  cars: [],
  fastestLap: null,
  stops: [],
};

/** A reader whose reads wait until the test releases them. */
class HeldReader {
  readonly asked: string[] = [];
  readonly #release = Promise.withResolvers<void>();

  async read(recording: string): Promise<ReadOutcome> {
    this.asked.push(recording);
    await this.#release.promise;
    return { outcome: OUTCOME };
  }

  release(): void {
    this.#release.resolve();
  }

  async close(): Promise<void> {}
}

function folderWith(t: TestContext, ...sessionIds: readonly string[]): string {
  const dataDir = temporaryFolder(t);
  mkdirSync(join(dataDir, 'recordings'));
  for (const sessionId of sessionIds) writeFileSync(recordingFile(dataDir, parseSessionId(sessionId)!), sessionId);
  return dataDir;
}

const recordingsIn = (dataDir: string): FileRecordings => new FileRecordings(dataDir, { put: async () => {} });

test('a recording is read once for all callers, until another recording replaces it', async (t) => {
  const dataDir = folderWith(t, 'demo-race');
  const reader = new HeldReader();
  const outcomes = new RecordedOutcomes({ recordings: recordingsIn(dataDir), reader, log: new RecordedLog() });
  const answers = [outcomes.of('demo-race'), outcomes.of('demo-race'), outcomes.of('demo-race')];
  // By then all three have checked the file and wait for the same read.
  await pause(100);
  reader.release();
  assert.deepEqual(await Promise.all(answers), [OUTCOME, OUTCOME, OUTCOME]);
  assert.deepEqual(await outcomes.of('demo-race'), OUTCOME);
  assert.equal(reader.asked.length, 1);
  writeFileSync(recordingFile(dataDir, parseSessionId('demo-race')!), 'another');
  await outcomes.of('demo-race');
  assert.equal(reader.asked.length, 2);
});

test('a session without a recording has no outcome, nor has an invalid id', async (t) => {
  const reader = new HeldReader();
  const outcomes = new RecordedOutcomes({ recordings: recordingsIn(folderWith(t)), reader, log: new RecordedLog() });
  for (const id of ['2026-monaco-race', '../secret', '', 'A B']) assert.equal(await outcomes.of(id), null);
  assert.deepEqual(reader.asked, []);
});

test('at the maximum number of concurrent reads, another one is refused', async (t) => {
  const ids = Array.from({ length: OUTCOMES_READ_MAX + 1 }, (_, index) => `session-${index}`);
  const reader = new HeldReader();
  const outcomes = new RecordedOutcomes({
    recordings: recordingsIn(folderWith(t, ...ids)),
    reader,
    log: new RecordedLog(),
  });
  const answers = ids.slice(0, -1).map((id) => outcomes.of(id));
  while (reader.asked.length < OUTCOMES_READ_MAX) await new Promise(setImmediate);
  assert.equal(await outcomes.of(ids.at(-1)!), 'busy');
  reader.release();
  await Promise.all(answers);
  assert.deepEqual(await outcomes.of(ids.at(-1)!), OUTCOME);
});

test('a real recording is read on a thread of its own; a damaged one is logged once and has no outcome', async (t) => {
  const dataDir = folderWith(t, '2026-damaged-race');
  importRecording(
    recordingFile(dataDir, parseSessionId('demo-race')!),
    { sessionId: 'demo-race', seriesId: 'f1', origin: 'test' },
    demoSessionFrames(),
  );
  const log = new RecordedLog();
  const outcomes = new RecordedOutcomes({ recordings: recordingsIn(dataDir), reader: new PiscinaOutcomeReader(), log });
  t.after(() => outcomes.close());
  const outcome = await outcomes.of('demo-race');
  assert.ok(outcome !== null && outcome !== 'busy');
  assert.equal(outcome.phase, 'finished');
  assert.ok(outcome.cars.length === 20 && outcome.stops.length > 0);
  assert.equal(await outcomes.of('2026-damaged-race'), null);
  assert.equal(await outcomes.of('2026-damaged-race'), null);
  assert.equal(log.errors.length, 1);
});

test('a thread that fails does not mark the recording as damaged: the next caller has it read again', async (t) => {
  const failures = [new Error('the thread died')];
  const reader = {
    async read(): Promise<ReadOutcome> {
      const failure = failures.pop();
      if (failure !== undefined) throw failure;
      return { outcome: OUTCOME };
    },
    async close() {},
  };
  const log = new RecordedLog();
  const outcomes = new RecordedOutcomes({ recordings: recordingsIn(folderWith(t, 'demo-race')), reader, log });
  assert.equal(await outcomes.of('demo-race'), null);
  assert.equal(log.errors.length, 1);
  assert.deepEqual(await outcomes.of('demo-race'), OUTCOME);
});
