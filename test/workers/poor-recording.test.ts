// `import recording` of recordings that lack what every payload needs.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordingFile } from '#engine/intake/recording/recording-import.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { PREVIEW_TOPIC } from '#engine/racing/session/known-before.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { writeSmallRelease } from '#test/support/small-release.ts';

const SESSION = '2023-miami-race';
const NEXT = '2026-miami-race';
const LAPS = ['LapCount', { CurrentLap: 1, TotalLaps: 57 }] as const;
const STATUS = ['SessionStatus', { Status: 'Started' }] as const;
const TIMING = [
  'TimingData',
  { Lines: { 1: { Position: '1' }, 4: { Position: '2' }, 99: { Position: '3' } } },
] as const;
const DRIVERS = ['DriverList', { 1: { RacingNumber: '1', Tla: 'VER', FullName: 'Max VERSTAPPEN' } }] as const;

const dataDir = temporaryDataDir('database');

async function importing(...messages: (readonly [topic: string, data: object])[]) {
  const path = join(dataDir, 'poor.ndjson');
  const line = ([topic, data]: (typeof messages)[number]) =>
    `${JSON.stringify({ topic, utc: '2023-05-07T19:30:00Z', data })}\n`;
  writeFileSync(path, messages.map(line).join(''));
  const { code, out, err } = await runAdminCommand(dataDir, ['import', 'recording', path, '--session', SESSION]);
  assert.equal(code, 0, err);
  return { ...JSON.parse(out), notes: err.split('\n').filter((note) => note !== '') };
}

/** What the payloads of the imported session say of its drivers. */
function drivers(): { readonly number: string; readonly tla: string | null; readonly team: string | null }[] {
  const reader = RecordingReader.open(recordingFile(dataDir, parseSessionId(SESSION)!));
  try {
    const timeline = deriveTimeline(reader.head, reader.frames());
    return timeline.info.rosters.at(-1)!.drivers.map(({ number, tla, team }) => ({ number, tla, team }));
  } finally {
    reader.close();
  }
}

test('what a recording lacks is named with what customers will miss and what helps', async () => {
  const { missing, identities, notes } = await importing(TIMING);
  assert.deepEqual(missing, ['DriverList', 'LapCount', 'SessionStatus', 'SessionInfo']);
  assert.equal(identities, 'none');
  assert.deepEqual(
    notes.map((note: string) => note.split(':')[0]),
    missing.map((topic: string) => `topic ${topic} is missing`),
  );
  assert.match(notes[0], /filters by driver code or team match none .*import history --help$/);
  assert.match(notes[1], /lap is null in every payload\. Import a recording that has LapCount$/);
});

test('a recording that has it all gives no note, whenever the topics come', async () => {
  const info = ['SessionInfo', { Type: 'Race', Name: 'Race' }] as const;
  const { missing, identities, notes } = await importing(TIMING, LAPS, STATUS, info, DRIVERS);
  assert.deepEqual([missing, identities, notes], [[], 'recording', []]);
});

test('without a list of drivers, they come by number from the imported history', async () => {
  const release = join(dataDir, 'release');
  mkdirSync(release);
  writeSmallRelease(release);
  assert.equal((await runAdminCommand(dataDir, ['import', 'history', release])).code, 0);
  const { missing, identities, notes } = await importing(TIMING, LAPS, STATUS);
  assert.deepEqual([missing, identities], [['DriverList', 'SessionInfo'], 'history']);
  assert.match(notes[0], /^topic DriverList is missing: the drivers come by number from the imported history$/);
  assert.deepEqual(drivers(), [
    { number: '1', tla: 'VER', team: 'Red Bull Racing' },
    { number: '4', tla: 'NOR', team: 'McLaren' },
    { number: '11', tla: 'PER', team: 'Red Bull Racing' },
    { number: '99', tla: '', team: '' },
  ]);
});

test('a race is recorded with what the history knew before it, and so is a second import; qualifying is not', async () => {
  const knownIn = async (session: string) => {
    const path = join(dataDir, 'poor.ndjson');
    const { code, err } = await runAdminCommand(dataDir, ['import', 'recording', path, '--session', session]);
    assert.equal(code, 0, err);
    const reader = RecordingReader.open(recordingFile(dataDir, parseSessionId(session)!));
    try {
      const frames = [...reader.frames()].filter(({ topic }) => topic === PREVIEW_TOPIC);
      return frames.map(({ json }) => JSON.parse(json));
    } finally {
      reader.close();
    }
  };
  const [known, ...others] = await knownIn(NEXT);
  assert.equal(known.LearntTo, '2023-miami');
  assert.ok(Object.keys(known.Strengths).length > 0 && others.length === 0);
  assert.deepEqual(await knownIn(NEXT), [known]);
  assert.deepEqual(await knownIn(SESSION), [], 'nothing was held before');
  assert.deepEqual(await knownIn(NEXT.replace('-race', '-qualifying')), []);
});
