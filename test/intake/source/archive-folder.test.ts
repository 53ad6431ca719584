import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FRAME_BYTES_MAX, SOURCE_CHUNK_BYTES } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { archiveFolder, SESSION_INFO, STREAM_START_MS, type TopicLines } from './archive.ts';

function framesIn(t: TestContext, topics: TopicLines): Frame[] {
  return [...openSource(archiveFolder(t, { SessionInfo: [SESSION_INFO], ...topics })).frames()];
}

/** The error message when this topic is read. */
function refusal(t: TestContext, lines: TopicLines[string]): string {
  const folder = archiveFolder(t, { SessionInfo: [SESSION_INFO], TimingData: lines });
  try {
    for (const _ of openSource(folder).frames());
  } catch (error) {
    assert.ok(error instanceof SourceError, String(error));
    return error.message;
  }
  return assert.fail('nothing was refused');
}

test('frames of all topics are in time order and keep the text of their message', (t) => {
  const frames = framesIn(t, {
    TimingData: ['00:00:01.500{"Lines":{}}', '01:00:00.000{"Lines":{"1":{}}}'],
    LapCount: ['00:00:02.250{"CurrentLap": 1}'],
  });
  assert.deepEqual(frames.slice(1), [
    { utcMs: STREAM_START_MS + 1_500, topic: 'TimingData', json: '{"Lines":{}}' },
    { utcMs: STREAM_START_MS + 2_250, topic: 'LapCount', json: '{"CurrentLap": 1}' },
    { utcMs: STREAM_START_MS + 3_600_000, topic: 'TimingData', json: '{"Lines":{"1":{}}}' },
  ]);
});

test('frames with the same time are in the order of the topics, unknown topics last by name', (t) => {
  const at = (json: string) => [`00:00:05.000${json}`];
  const frames = framesIn(t, {
    Zebra: at('{}'),
    TimingData: at('{}'),
    Aardvark: at('{}'),
    DriverList: at('{}'),
    LapCount: at('{}'),
  });
  assert.deepEqual(
    frames.map(({ topic }) => topic),
    ['SessionInfo', 'LapCount', 'DriverList', 'TimingData', 'Aardvark', 'Zebra'],
  );
});

test('a line with an earlier time gets the time of the line before it', (t) => {
  const frames = framesIn(t, {
    TimingData: ['00:00:09.000{"a":1}', '00:00:03.000{"a":2}', '00:00:10.000{"a":3}'],
    LapCount: ['00:00:09.500{}'],
  });
  assert.deepEqual(
    frames.slice(1).map(({ utcMs, json }) => [utcMs - STREAM_START_MS, json]),
    [
      [9_000, '{"a":1}'],
      [9_000, '{"a":2}'],
      [9_500, '{}'],
      [10_000, '{"a":3}'],
    ],
  );
});

test('a stream may last longer than a day, and compressed topics keep their text', (t) => {
  const frames = framesIn(t, { 'CarData.z': ['26:00:00.001"7ZSx"'] });
  assert.deepEqual(frames[1], { utcMs: STREAM_START_MS + 26 * 3_600_000 + 1, topic: 'CarData.z', json: '"7ZSx"' });
});

test('a last line without a line end counts if its JSON is complete, and blank lines are skipped', (t) => {
  const frames = framesIn(t, { TimingData: '\ufeff00:00:01.000{"a":1}\n\n\r\n00:00:02.000{"a":2}' });
  assert.deepEqual(
    frames.slice(1).map(({ json }) => json),
    ['{"a":1}', '{"a":2}'],
  );
});

test('lines longer than a chunk are read completely', (t) => {
  const long = JSON.stringify({ text: 'ä'.repeat(SOURCE_CHUNK_BYTES) });
  const frames = framesIn(t, { TimingData: [`00:00:01.000${long}`, '00:00:02.000{}', `00:00:03.000${long}`] });
  assert.deepEqual(
    frames.slice(1).map(({ json }) => json.length),
    [long.length, 2, long.length],
  );
});

test('unknown topics are kept and counted by name', (t) => {
  const source = openSource(
    archiveFolder(t, { SessionInfo: [SESSION_INFO], Novelty: ['00:00:01.000{}', '00:00:02.000{}'], TimingData: [] }),
  );
  assert.equal([...source.frames()].length, 3);
  assert.deepEqual([...source.unknownTopics], [['Novelty', 2]]);
  assert.equal([...source.frames()].length, 3);
  assert.deepEqual([...source.unknownTopics], [['Novelty', 2]]);
});

test('progress never decreases and ends at the size of the files', (t) => {
  const lines = Array.from({ length: 3_000 }, (_, index) => `00:00:01.000{"index":${index}}`);
  const source = openSource(archiveFolder(t, { SessionInfo: [SESSION_INFO], TimingData: lines }));
  const reports: [number, number][] = [];
  for (const _ of source.frames((done, total) => reports.push([done, total])));
  assert.ok(reports.length > 3);
  assert.deepEqual(
    reports.map(([done]) => done),
    reports.map(([done]) => done).toSorted((a, b) => a - b),
  );
  const [done, total] = reports.at(-1)!;
  assert.equal(done, total);
});

test('a single file is an archive of one topic', (t) => {
  const folder = archiveFolder(t, { SessionInfo: [SESSION_INFO], TimingData: ['00:00:01.000{}'] });
  const frames = [...openSource(join(folder, 'SessionInfo.jsonStream')).frames()];
  assert.deepEqual(
    frames.map(({ topic }) => topic),
    ['SessionInfo'],
  );
});

test('a path with nothing behind it is refused', () => {
  assert.throws(() => openSource('/nowhere/at-all'), /^SourceError: \/nowhere\/at-all: there is nothing at this path/);
});

test('a folder without .jsonStream files is refused', (t) => {
  const folder = archiveFolder(t, {});
  assert.throws(() => openSource(folder), /there is no recording in this folder\. Give a folder/);
  mkdirSync(join(folder, 'TimingData.jsonStream'));
  assert.throws(() => openSource(folder), SourceError);
});

test('a file that is no recording is named, even when the start time is missing too', (t) => {
  const folder = archiveFolder(t, { LapCount: ['00:00:01.000{}'], Notes: ['Dear diary'] });
  assert.throws(() => openSource(folder), /^SourceError: Notes\.jsonStream:1: "Dear diary" does not begin with a time/);
});

test('a garbage line is refused with its file and line number', (t) => {
  assert.match(
    refusal(t, ['00:00:01.000{}', 'This is not a stream', '00:00:02.000{}']),
    /^TimingData\.jsonStream:2: "This is not a stream" does not begin with a time\. Each line/,
  );
  assert.match(
    refusal(t, '<html>\n<body>403</body>'),
    /^TimingData\.jsonStream:1: "<html>" does not begin with a time/,
  );
});

test('an invalid time is refused', (t) => {
  assert.match(refusal(t, ['00:75:00.000{}']), /^TimingData\.jsonStream:1: 00:75:00\.000 is not a time/);
  assert.match(refusal(t, ['00:00:61.000{}']), /is not a time/);
  assert.match(refusal(t, ['0:00:01.000{}']), /does not begin with a time/);
});

test('data that is not JSON, or neither an object nor a string, is refused', (t) => {
  assert.match(refusal(t, ['00:00:01.000{"Lines":']), /^TimingData\.jsonStream:1: what follows the time is not JSON/);
  assert.match(refusal(t, ['00:00:01.000']), /is not JSON/);
  for (const json of ['12', 'null', 'true']) {
    assert.match(refusal(t, [`00:00:01.000${json}`]), /neither a JSON object nor a JSON string/);
  }
});

test('a string where a known topic has objects, or the reverse, is refused with its file and line number', (t) => {
  assert.match(
    refusal(t, ['00:00:01.000{}', '00:00:02.000"text"']),
    /^TimingData\.jsonStream:2: what follows the time is a JSON string in a topic of JSON objects/,
  );
  const folder = archiveFolder(t, {
    SessionInfo: [SESSION_INFO],
    'Position.z': ['00:00:01.000{}'],
    Unheard: ['00:00:01.000"x"'],
  });
  assert.throws(
    () => [...openSource(folder).frames()],
    /Position\.z\.jsonStream:1: .* a JSON object in a compressed topic/,
  );
});

test('a last line that is cut off at any point is refused', (t) => {
  const whole = '00:00:01.000{}\r\n00:00:02.000{"Lines":{"1":{"Position":"2"}}}';
  const first = '00:00:01.000{}\r\n'.length;
  for (let length = first + 1; length < whole.length; length++) {
    assert.match(refusal(t, whole.slice(0, length)), /^TimingData\.jsonStream:2: the last line is cut off\. Download/);
  }
});

test('bytes that are not UTF-8 are refused', (t) => {
  assert.match(refusal(t, Buffer.from([0x30, 0xff, 0xfe, 0x0a])), /^TimingData\.jsonStream:1: the line is not UTF-8/);
});

test('an overlong line is refused before all of it is read', (t) => {
  const text = `00:00:01.000{}\n00:00:02.000"${'x'.repeat(FRAME_BYTES_MAX + 100)}`;
  assert.match(refusal(t, text), /^TimingData\.jsonStream:2: the line is longer than \d+ bytes/);
});
