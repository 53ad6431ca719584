// Damaged recordings of every format: each is read, or refused with the place of the problem. All frames that are read
// can be recorded and derived.

import assert from 'node:assert/strict';
import { closeSync, mkdirSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { readIngestLine } from '#engine/intake/source/ingest-line.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { archiveFolder } from '#test/intake/source/archive.ts';
import { RACE, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { DUMPED_SESSIONS, recorded, sessionPath } from '#test/racing/real-sessions.ts';
import { archiveLines, joinedAfter, signalrText } from '#test/support/golden-recordings.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { damagedBytes, damagedJson, oddJson } from './damage.ts';
import { Cases, fuzzRuns } from './runs.ts';

const DAY = '2026-05-03';
const STATE = {
  TimingData: { Lines: { 4: { Position: '1' } } },
  Heartbeat: { Utc: `${DAY}T12:00:00Z`, _kf: true },
  'CarData.z': '7ZSx',
  SPFeed: null,
  SessionInfo: { Type: 'Race', Name: 'Race', StartDate: `${DAY}T14:00:00`, GmtOffset: '02:00:00' },
};
const MESSAGE = { Lines: { 4: { Sectors: { 0: { Value: '27.1' } }, InPit: true } } };
const core = (topic: string, data: unknown, seconds: number): string =>
  `${JSON.stringify({ type: 1, target: 'feed', arguments: [topic, data, `${DAY}T12:00:0${seconds}.25Z`] })}\x1e`;
const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');

/** A valid file of each text format. */
const DUMPS: Readonly<Record<string, string>> = {
  'SignalR Core': text(
    '{}\x1e',
    `${JSON.stringify({ type: 3, invocationId: '1', result: STATE })}\x1e`,
    `${core('TimingData', MESSAGE, 1)}{"type":6}\x1e${core('Position.z', 'tZhN', 2)}`,
    '{"type":7,"error":"enough"}\x1e',
  ),
  'SignalR legacy': text(
    JSON.stringify({ R: STATE, I: '1' }),
    '{}',
    JSON.stringify({ C: 'd-1', S: 1, M: [] }),
    JSON.stringify({
      C: 'd-2',
      G: 'x',
      M: [
        { H: 'Streaming', M: 'feed', A: ['TimingData', MESSAGE, `${DAY}T12:00:01Z`] },
        { H: 'Streaming', M: 'feed', A: ['LapCount', { CurrentLap: 2 }, `${DAY}T12:00:02.1Z`] },
      ],
    }),
    JSON.stringify({ H: 'Streaming', M: 'feed', A: ['LapCount', { CurrentLap: 3 }, `${DAY}T12:00:03Z`] }),
  ),
  FastF1: text(
    `['Heartbeat', '${JSON.stringify(STATE.Heartbeat)}', '']`,
    `['TimingData', {'Lines': {'4': {'InPit': True, 'Gap': None, 'Name': "O'Neil \\u00e9"}}}, '${DAY}T12:00:01.5Z']`,
    `['CarData.z', '7ZSx', '${DAY}T12:00:03.1234567Z']`,
  ),
  undercut: text(
    JSON.stringify({ Type: 'Heartbeat', Json: { Utc: `${DAY}T12:00:00Z` }, DateTime: `${DAY}T12:00:00+00:00` }),
    JSON.stringify({ Type: 'TimingData', Json: JSON.stringify(MESSAGE), DateTime: `${DAY}T12:00:01.5Z` }),
  ),
  NDJSON: text(
    JSON.stringify({ topic: 'Heat', utc: `${DAY}T12:00:00Z`, data: { name: 'Final', status: 'running' } }),
    JSON.stringify({ topic: 'TimingData', utc: `${DAY}T12:00:01.250+02:00`, data: MESSAGE, sequence: 2 }),
  ),
};

const samples = (key: string, ...utcs: string[]): string =>
  JSON.stringify(deflateRawSync(JSON.stringify({ [key]: utcs.map((Utc) => ({ Utc, Cars: {} })) })).toString('base64'));
const stream = (...lines: string[]): string => `\ufeff${lines.map((line) => `${line}\r\n`).join('')}`;
/** The topics of an archive, including those that give its start time. */
const ARCHIVE: Readonly<Record<string, string>> = {
  ExtrapolatedClock: stream(`00:00:00.500{"Utc":"${DAY}T12:00:00.5Z","Remaining":"01:00:00"}`),
  'CarData.z': stream(`00:00:01.000${samples('Entries', `${DAY}T12:00:00Z`, `${DAY}T12:00:00.9Z`)}`),
  'Position.z': stream(`00:00:01.000${samples('Position', `${DAY}T12:00:00Z`)}`),
  RaceControlMessages: stream(`00:00:02.000{"Messages":[{"Utc":"${DAY}T12:00:02","Message":"GREEN"}]}`),
  Heartbeat: stream(`00:00:03.000{"Utc":"${DAY}T12:00:05Z"}`),
  SessionInfo: stream(
    '00:00:00.000{"Type":"Race","Name":"Race","StartDate":"2026-05-03T14:00:00","GmtOffset":"02:00:00"}',
  ),
  SessionStatus: stream('00:00:04.000{"Status":"Started"}', '27:59:59.999{"Status":"Finished"}'),
  TimingData: stream(`00:00:05.000${JSON.stringify(MESSAGE)}`, '00:00:06.000{"Lines":{"4":{"Position":"2"}}}'),
};

/** Reads a file. Only a SourceError may occur, and a recording and a timeline must be able to take every frame. */
function readAll(path: string, cases: Cases): string {
  const frames: Frame[] = [];
  try {
    for (const frame of openSource(path).frames()) {
      assert.ok(Number.isFinite(frame.utcMs) && frame.utcMs >= (frames.at(-1)?.utcMs ?? 0), `time ${frame.utcMs}`);
      assert.match(frame.topic, /^[\w.-]{1,64}$/);
      assert.ok(Buffer.byteLength(frame.json) <= FRAME_BYTES_MAX);
      JSON.parse(frame.json);
      frames.push(frame);
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    assert.ok(error.where !== '' && error.message.length < 2_000, error.message);
    cases.add('refused');
    return error.message;
  }
  const timeline = deriveTimeline({ sessionId: 's', seriesId: 'f1' }, frames, undefined, (problem) => {
    if (!(problem instanceof SourceError)) throw problem;
  });
  const { dueMs } = timeline.columns;
  for (let position = 1; position < timeline.length; position++) {
    assert.ok(dueMs[position]! >= dueMs[position - 1]!, `update ${position} is due before the one before it`);
  }
  cases.add('read');
  return '';
}

/** A temporary file that is rewritten for each case. */
function scratch(t: TestContext, name: string): (bytes: Buffer | string) => string {
  const path = join(temporaryFolder(t), name);
  return (bytes) => {
    writeFileSync(path, bytes);
    return path;
  };
}

/** The first lines of a real file. */
function beginningOf(path: string, bytes: number): Buffer {
  const file = openSync(path, 'r');
  const head = Buffer.alloc(bytes);
  const read = readSync(file, head, 0, bytes, 0);
  closeSync(file);
  return head.subarray(0, head.lastIndexOf('\n', read - 1) + 1);
}

for (const [name, content] of Object.entries(DUMPS)) {
  test(`${name}: a damaged file is read, or refused with the place of the problem`, (t) => {
    const cases = new Cases(t, 'files');
    const write = scratch(t, 'dump');
    assert.equal(readAll(write(content), cases), '');
    fc.assert(
      fc.property(damagedBytes([content]), (bytes) => void readAll(write(bytes), cases)),
      fuzzRuns(200),
    );
  });

  test(`${name}: a file cut off at any point is read, or refused as cut off`, (t) => {
    const cases = new Cases(t, 'files');
    const write = scratch(t, 'dump');
    for (let bytes = 0; bytes < content.length; bytes++) readAll(write(content.slice(0, bytes)), cases);
    assert.ok(cases.of('refused') > 0);
  });
}

test('files that once caused another error than a SourceError are refused', (t) => {
  const cases = new Cases(t, 'files');
  const write = scratch(t, 'dump');
  // A first line that is JSON only up to the end of a frame.
  assert.match(readAll(write('null\x1e\n'), cases), /its first line is neither JSON nor a Python list/);
});

test('unexpected values in a message are read, or refused with their line', (t) => {
  const cases = new Cases(t, 'files');
  const write = scratch(t, 'dump');
  const line = fc
    .constantFrom(...Object.values(DUMPS).flatMap((content) => content.split('\n')))
    .filter((one) => one.startsWith('{"'))
    .chain((one) => damagedJson(one.split('\x1e')[0]!));
  const content = fc.tuple(fc.constantFrom(...Object.values(DUMPS)), line).map(([before, one]) => `${before}${one}\n`);
  fc.assert(
    fc.property(content, (all) => void readAll(write(all), cases)),
    fuzzRuns(250),
  );
});

test('an archive with a damaged file is read, or refused with the place of the problem', (t) => {
  const cases = new Cases(t, 'archives');
  const folder = join(temporaryFolder(t), 'archive');
  const topics = Object.keys(ARCHIVE);
  const damagedLine = (topic: string): fc.Arbitrary<Buffer> => {
    const [time, json] = [ARCHIVE[topic]!.slice(1, 13), ARCHIVE[topic]!.slice(13).split('\r\n')[0]!];
    const message = json.startsWith('{') ? damagedJson(json) : oddSamples;
    return message.map((damaged) => Buffer.from(stream(`${time}${damaged}`)));
  };
  const oddSamples = fc.oneof(
    oddJson,
    damagedJson('{"Entries":[{"Utc":"2026-05-03T12:00:00Z"}],"Position":[]}').map((json) =>
      JSON.stringify(deflateRawSync(json).toString('base64')),
    ),
  );
  const archive = fc.tuple(fc.subarray(topics, { minLength: 1 }), fc.nat()).chain(([present, pick]) => {
    const topic = present[pick % present.length]!;
    const damaged = fc.oneof(damagedBytes([ARCHIVE[topic]!]), damagedLine(topic));
    return damaged.map((bytes) => present.map((name) => [name, name === topic ? bytes : ARCHIVE[name]!] as const));
  });
  /** Kept: `Entries` that is not a list once broke the search for the archive's start. */
  const noList = JSON.stringify(deflateRawSync('{"Entries":{"0":null}}').toString('base64'));
  fc.assert(
    fc.property(archive, (files) => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [topic, bytes] of files) writeFileSync(join(folder, `${topic}.jsonStream`), bytes);
      readAll(folder, cases);
    }),
    { ...fuzzRuns(250), examples: [[[['CarData.z', Buffer.from(stream(`00:00:01.000${noList}`))]]]] },
  );
});

test('damaged real recordings are read, or refused with the place of the problem', (t) => {
  const cases = new Cases(t, 'files');
  const golden = archiveFolder(t, archiveLines(SPRINT));
  const dump = join(temporaryFolder(t), 'dump');
  writeFileSync(dump, signalrText(joinedAfter(60, RACE)));
  const recordings = [{ archive: golden, dumps: [dump] }];
  for (const { sessionId } of recorded('2025-miami-sprint')) {
    recordings.push({ archive: sessionPath(sessionId), dumps: DUMPED_SESSIONS.map(sessionPath) });
  }
  for (const { archive, dumps } of recordings) readDamaged(t, archive, dumps, cases);
});

function readDamaged(t: TestContext, archive: string, dumps: readonly string[], cases: Cases): void {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'SessionInfo.jsonStream'), readFileSync(join(archive, 'SessionInfo.jsonStream')));
  const linesOf = (path: string): string[] => beginningOf(path, 150_000).toString().split(/\r?\n/).slice(0, -1);
  const files = [
    ...dumps.map((path) => ({ path: 'dump', lines: linesOf(path) })),
    { path: 'TimingData.jsonStream', lines: linesOf(join(archive, 'TimingData.jsonStream')) },
  ];
  const file = fc
    .constantFrom(...files)
    .chain(({ path, lines }) =>
      fc
        .nat(lines.length - 1)
        .chain((place) => damagedLine(lines[place]!).map((line) => [path, lines.with(place, line)])),
    );
  fc.assert(
    fc.property(file as fc.Arbitrary<[string, string[]]>, ([path, lines]) => {
      writeFileSync(join(folder, path), lines.map((line) => `${line}\n`).join(''));
      readAll(path === 'dump' ? join(folder, path) : folder, cases);
      rmSync(join(folder, path));
    }),
    fuzzRuns(15),
  );
}

/** Damages the JSON in the line if there is any, otherwise the bytes of the line. */
function damagedLine(line: string): fc.Arbitrary<string> {
  const bytes = damagedBytes([line]).map((damaged) => damaged.toString().replaceAll('\n', ''));
  const start = line.search(/(?<=^(\d\d:\d\d:\d\d\.\d{3})?)\{/);
  if (start === -1) return bytes;
  const json = line.slice(start).split('\x1e')[0]!;
  return fc.oneof(
    damagedJson(json).map((damaged) => line.slice(0, start) + damaged),
    bytes,
  );
}

test('I4: the updates of a recording are due in order, whatever times its messages have', (t) => {
  const cases = new Cases(t, 'files');
  const write = scratch(t, 'dump');
  const base = Date.parse(`${DAY}T12:00:00Z`);
  const time = fc.oneof(
    fc.integer({ min: -10_000, max: 100_000 }),
    fc.integer({ min: -(2 ** 33), max: 2 ** 33 }),
    fc.constantFrom(2 ** 32 - 1, 2 ** 32 + 1, 7 * 86_400_000, 365 * 86_400_000, -25 * 365 * 86_400_000),
  );
  const lines = fc.array(time, { minLength: 1, maxLength: 8 }).map((times) =>
    times.map((ms, index) => {
      const utc = new Date(base + ms).toISOString();
      return JSON.stringify({ topic: 'LapCount', utc, data: { CurrentLap: index } });
    }),
  );
  fc.assert(
    fc.property(lines, (all) => void readAll(write(text(...all)), cases)),
    fuzzRuns(150),
  );
});

test('any line of an own source is a message, or a problem with its field', (t) => {
  const cases = new Cases(t, 'lines');
  const valid = DUMPS.NDJSON!.split('\n').filter((line) => line !== '');
  const line = fc.oneof(
    fc.constantFrom(...valid).chain(damagedJson),
    damagedBytes(valid).map((bytes) => bytes.toString()),
    oddJson,
  );
  fc.assert(
    fc.property(line, (given) => {
      const message = readIngestLine(given);
      cases.add('problem' in message ? 'refused' : 'read');
      if ('problem' in message) assert.ok(message.problem.length > 5 && message.problem.length < 1_000);
      else assert.ok(typeof JSON.parse(message.json) === 'object' || message.json.startsWith('"'));
    }),
    { ...fuzzRuns(800), examples: [[`{"topic":"T","utc":"${DAY}T12:00:00Z","data":${'['.repeat(100_000)}`]] },
  );
});
