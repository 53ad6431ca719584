import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DUMP_LINE_BYTES_MAX, SOURCE_CHUNK_BYTES } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** The time of day, such as `12:00:01.500`. */
const clock = (utcMs: number): string => new Date(utcMs).toISOString().slice(11, 23);
const utc = (time: string): string => `2026-05-03T${time}Z`;
const DAY = '2026-05-03';

function dump(t: TestContext, content: readonly string[] | string | Buffer, name = 'dump'): string {
  const path = join(temporaryFolder(t), name);
  writeFileSync(path, Array.isArray(content) ? content.map((line) => `${line}\n`).join('') : (content as string));
  return path;
}

function read(path: string): [string, string, string][] {
  return Array.from(openSource(path).frames(), ({ topic, utcMs, json }: Frame) => [topic, clock(utcMs), json]);
}

function refusal(path: string): string {
  try {
    read(path);
  } catch (error) {
    assert.ok(error instanceof SourceError, (error as Error).stack);
    return error.message;
  }
  return assert.fail('nothing was refused');
}

const core = (topic: string, data: unknown, time: string): string =>
  `${JSON.stringify({ type: 1, target: 'feed', arguments: [topic, data, utc(time)] })}\x1e`;
const legacy = (...messages: [string, unknown, string][]): string =>
  JSON.stringify({
    C: 'd-1',
    M: messages.map(([topic, data, time]) => ({ H: 'Streaming', M: 'feed', A: [topic, data, utc(time)] })),
  });
const STATE = {
  TimingData: { Lines: {} },
  Heartbeat: { Utc: utc('12:00:00'), _kf: true },
  'CarData.z': '7ZSx',
  SPFeed: null,
  SessionInfo: { Type: 'Race' },
};
const STATE_FRAMES: [string, string, string][] = [
  ['SessionInfo', '12:00:00.000', '{"Type":"Race","_kf":true}'],
  ['Heartbeat', '12:00:00.000', '{"Utc":"2026-05-03T12:00:00Z","_kf":true}'],
  ['TimingData', '12:00:00.000', '{"Lines":{},"_kf":true}'],
  ['CarData.z', '12:00:00.000', '"7ZSx"'],
];

test('FastF1 text: a list on each line, compressed topics as strings', (t) => {
  const path = dump(t, [
    `['TimingData', {'Lines': {'5': {'InPit': True, 'Gap': None}}}, '${DAY}T12:00:01.5Z']`,
    `['RaceControlMessages', {'Messages': {'1': {'Message': "CAR 5'S LAP"}}}, '${DAY}T12:00:02Z']`,
    `['CarData.z', '7ZSx', '${DAY}T12:00:03.1234567Z']`,
  ]);
  assert.deepEqual(read(path), [
    ['TimingData', '12:00:01.500', '{"Lines":{"5":{"InPit":true,"Gap":null}}}'],
    ['RaceControlMessages', '12:00:02.000', '{"Messages":{"1":{"Message":"CAR 5\'S LAP"}}}'],
    ['CarData.z', '12:00:03.123', '"7ZSx"'],
  ]);
});

test('FastF1 text: lines without a time are a snapshot, which has the time of its Heartbeat', (t) => {
  const path = dump(t, [
    ...Object.entries(STATE)
      .filter(([, data]) => data !== null)
      .map(([topic, data]) => `['${topic}', '${JSON.stringify(data)}', '']`),
    `['LapCount', {'CurrentLap': 1}, '${DAY}T12:00:05Z']`,
  ]);
  assert.deepEqual(read(path), [...STATE_FRAMES, ['LapCount', '12:00:05.000', '{"CurrentLap":1}']]);
});

test('a snapshot without a Heartbeat, or with one ahead of time, has the time of the next message', (t) => {
  const lines = ["['TrackStatus', '{\"Status\":\"1\"}', '']", `['LapCount', {'CurrentLap': 1}, '${DAY}T12:00:05Z']`];
  assert.deepEqual(read(dump(t, lines))[0], ['TrackStatus', '12:00:05.000', '{"Status":"1","_kf":true}']);
  const ahead = [`['Heartbeat', '{"Utc":"${DAY}T12:00:07Z"}', '']`, ...lines];
  assert.deepEqual(
    read(dump(t, ahead)).map(([, time]) => time),
    ['12:00:05.000', '12:00:05.000', '12:00:05.000'],
  );
  assert.match(refusal(dump(t, lines.slice(0, 1))), /its snapshot has no time/);
  assert.equal(read(dump(t, ahead.slice(0, 2)))[0]![1], '12:00:07.000');
});

test('a snapshot whose Heartbeat an earlier session has left has the time of the next message', (t) => {
  const stale = `['Heartbeat', '{"Utc":"2026-04-19T12:00:00Z"}', '']`;
  const lines = [
    stale,
    "['TrackStatus', '{\"Status\":\"1\"}', '']",
    `['LapCount', {'CurrentLap': 1}, '${DAY}T12:00:05Z']`,
  ];
  const frames = Array.from(openSource(dump(t, lines)).frames(), ({ utcMs }) => new Date(utcMs).toISOString());
  assert.deepEqual(frames, Array(3).fill(`${DAY}T12:00:05.000Z`));
});

test('SignalR Core: a bare snapshot first, several frames on one line, pings and other calls between', (t) => {
  const path = dump(t, [
    JSON.stringify(STATE),
    '{"type":6}\x1e',
    `${core('LapCount', { CurrentLap: 1 }, '12:00:01')}{"type":6}\x1e${core('Position.z', 'tZhN', '12:00:02.25')}`,
    '{"type":1,"target":"other","arguments":[]}\x1e',
    core('LapCount', { CurrentLap: 2 }, '12:00:03').slice(0, -1),
    '{"type":7}\x1e',
  ]);
  assert.deepEqual(read(path), [
    ...STATE_FRAMES,
    ['LapCount', '12:00:01.000', '{"CurrentLap":1}'],
    ['Position.z', '12:00:02.250', '"tZhN"'],
    ['LapCount', '12:00:03.000', '{"CurrentLap":2}'],
  ]);
});

test('SignalR Core: a snapshot in its frame, and another one after a reconnection', (t) => {
  const result = `${JSON.stringify({ type: 3, invocationId: '1', result: STATE })}\x1e`;
  const path = dump(t, ['{}\x1e', result, core('LapCount', {}, '12:00:30'), result, core('LapCount', {}, '12:01:00')]);
  const frames = read(path);
  assert.deepEqual(frames.slice(0, 4), STATE_FRAMES);
  assert.deepEqual(
    frames.slice(4).map(([topic, time]) => [topic, time]),
    [
      ['LapCount', '12:00:30.000'],
      ['SessionInfo', '12:00:30.000'],
      ['Heartbeat', '12:00:30.000'],
      ['TimingData', '12:00:30.000'],
      ['CarData.z', '12:00:30.000'],
      ['LapCount', '12:01:00.000'],
    ],
  );
});

test('SignalR legacy: a snapshot, several messages in a frame, keep-alives, and the connection’s own frames', (t) => {
  const path = dump(t, [
    '{"C":"d-1","S":1,"M":[]}',
    '{"C":"d-2","G":"token","M":[]}',
    '{}',
    JSON.stringify({ R: STATE, I: '1' }),
    legacy(['LapCount', { CurrentLap: 1 }, '12:00:01'], ['TrackStatus', { Status: '1' }, '12:00:01']),
    '{"I":"2"}',
    '{"R":true,"I":"3"}',
    legacy(),
  ]);
  assert.deepEqual(read(path), [
    ...STATE_FRAMES,
    ['LapCount', '12:00:01.000', '{"CurrentLap":1}'],
    ['TrackStatus', '12:00:01.000', '{"Status":"1"}'],
  ]);
});

test('undercut-f1: lines of both of its formats, with the snapshot in a separate file', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'subscribe.json'), `\ufeff${JSON.stringify(STATE, null, 2)}`);
  const lines = [
    { Type: 'LapCount', Json: { CurrentLap: 1 }, DateTime: `${DAY}T14:00:01.5+02:00` },
    { Type: 'CarData.z', Json: '7ZSx', DateTime: utc('12:00:02') },
  ];
  writeFileSync(join(folder, 'live.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'));
  assert.deepEqual(read(folder), [
    ...STATE_FRAMES,
    ['LapCount', '12:00:01.500', '{"CurrentLap":1}'],
    ['CarData.z', '12:00:02.000', '"7ZSx"'],
  ]);
  const older = dump(
    t,
    ['{"H":"Streaming","M":"feed","A":["LapCount",{"CurrentLap":1},"2026-05-03T12:00:01Z"]}'],
    'live.txt',
  );
  assert.deepEqual(read(older), [['LapCount', '12:00:01.000', '{"CurrentLap":1}']]);
  writeFileSync(join(folder, 'subscribe.json'), '[');
  assert.match(refusal(folder), /^subscribe\.json: .*It should hold a snapshot/);
});

test('NDJSON: a problem names its line and field', (t) => {
  const line = '{"topic":"LapCount","utc":"2026-05-03T14:00:00+02:00","data":{"CurrentLap":1},"sequence":4}';
  assert.deepEqual(read(dump(t, [line, '', line])), [
    ['LapCount', '12:00:00.000', '{"CurrentLap":1}'],
    ['LapCount', '12:00:00.000', '{"CurrentLap":1}'],
  ]);
  const path = dump(t, [line, line.replace('2026-05-03T14', '2026-05-03 14')], 'mine.ndjson');
  assert.match(refusal(path), /^mine\.ndjson:2: utc "2026-05-03 14:00:00\+02:00" is not an ISO 8601 time/);
});

test('times never decrease: an earlier message gets the time of the one before it', (t) => {
  const path = dump(t, [
    core('LapCount', { CurrentLap: 1 }, '12:00:05'),
    core('LapCount', { CurrentLap: 2 }, '12:00:03'),
    core('LapCount', { CurrentLap: 3 }, '12:00:04'),
    core('LapCount', { CurrentLap: 4 }, '12:00:06'),
  ]);
  assert.deepEqual(
    read(path).map(([, time, json]) => [time, json]),
    [
      ['12:00:05.000', '{"CurrentLap":1}'],
      ['12:00:05.000', '{"CurrentLap":2}'],
      ['12:00:05.000', '{"CurrentLap":3}'],
      ['12:00:06.000', '{"CurrentLap":4}'],
    ],
  );
});

test('a message of another year is refused with its line number', (t) => {
  const line = (time: string) => JSON.stringify({ topic: 'LapCount', utc: time, data: {} });
  const path = dump(t, [line('2026-05-03T12:00:00Z'), line('2026-05-10T12:00:00Z'), line('2027-05-03T12:00:01Z')]);
  assert.match(
    refusal(path),
    /^dump:3: the recording begins at 2026-\S+ and has a message of 2027-05-03T12:00:01\.000Z/,
  );
  assert.equal(read(dump(t, [line('2026-05-03T12:00:00Z'), line('2026-05-10T12:00:00Z')])).length, 2);
});

test('unknown topics are kept and counted, and every iteration starts over', (t) => {
  const source = openSource(dump(t, [core('Novelty', {}, '12:00:05'), core('Novelty', 'text', '12:00:06')]));
  assert.equal([...source.frames()].length, 2);
  assert.equal([...source.frames()].length, 2);
  assert.deepEqual([...source.unknownTopics], [['Novelty', 2]]);
});

test('byte order marks, CR LF, blank lines and lines longer than a chunk are accepted', (t) => {
  const long = 'ä'.repeat(SOURCE_CHUNK_BYTES);
  const lines = [1, 2, 3].map((lap) => core('LapCount', { lap, long }, `12:00:0${lap}`));
  const path = dump(t, `\ufeff\r\n  \r\n${lines.join('\r\n\r\n')}`);
  assert.deepEqual(
    read(path).map(([, time, json]) => [time, JSON.parse(json).long === long]),
    [
      ['12:00:01.000', true],
      ['12:00:02.000', true],
      ['12:00:03.000', true],
    ],
  );
});

test('progress ends at the size of the file', (t) => {
  const path = dump(
    t,
    Array.from({ length: 3_000 }, () => core('LapCount', {}, '12:00:01')),
  );
  const reports: [number, number][] = [];
  for (const _ of openSource(path).frames((done, total) => reports.push([done, total])));
  assert.ok(reports.length > 3);
  assert.equal(reports.at(-1)![0], reports.at(-1)![1]);
});

test('a last line that is cut off at any point is refused', (t) => {
  for (const line of [
    `['TimingData', {'Lines': {'5': {'InPit': True}}}, '${DAY}T12:00:01.5Z']`,
    legacy(['LapCount', { CurrentLap: 1 }, '12:00:01']),
    core('LapCount', { CurrentLap: 1 }, '12:00:01').slice(0, -1),
    '{"topic":"LapCount","utc":"2026-05-03T14:00:00Z","data":{"CurrentLap":1}}',
  ]) {
    for (let length = 1; length < line.length; length++) {
      const path = dump(t, `${line}\n${line.slice(0, length)}`);
      assert.match(refusal(path), /^dump:2: the last line is cut off\. Download/, line.slice(0, length));
    }
    assert.equal(read(dump(t, `${line}\n${line}`)).length, 2);
  }
});

test('an invalid line is refused with its file, its line number, and its column if known', (t) => {
  const python = `['LapCount', {}, '${DAY}T12:00:01Z']`;
  for (const [lines, pattern] of [
    [
      [python, "['LapCount', {'a': true}, '']"],
      /^dump:2:20: a message cannot hold this value\. The file was read as FastF1 text/,
    ],
    [[python, "['LapCount', {}]"], /^dump:2: it is not a list of topic, data and time/],
    [[python, "['LapCount', {}, 'soon']"], /^dump:2: the time of a message of LapCount is/],
    [[python, "['LapCount', '{\"a\"', '']"], /^dump:2: the data of a message of LapCount is not JSON/],
    [
      [core('LapCount', {}, '12:00:01'), '{"type":1,"target":"feed","arguments":["LapCount"]}'],
      /^dump:2: a message is not a list/,
    ],
    [[core('LapCount', {}, '12:00:01'), '{"nothing":1}'], /^dump:2: an object is neither a SignalR frame/],
    [[core('LapCount', {}, '12:00:01'), 'x'], /^dump:2: a frame is not JSON/],
    [
      [core('LapCount', 'text', '12:00:01')],
      /^dump:1: the data of a message of LapCount is a JSON string in a topic of/,
    ],
    [[core('CarData.z', {}, '12:00:01')], /^dump:1: .* a JSON object in a compressed topic/],
    [[core('a/b', {}, '12:00:01')], /^dump:1: the topic of a message "a\/b" is not 1 to 64/],
    [['{"C":"d","M":{}}'], /^dump:1: M of a frame is not a list/],
    [['{"Type":"LapCount","Json":{},"DateTime":"x"}'], /^dump:1: the time of a message of LapCount/],
  ] as const) {
    assert.match(refusal(dump(t, lines)), pattern);
  }
});

test('an overlong line is refused before all of it is read', (t) => {
  const path = dump(t, `${core('LapCount', {}, '12:00:01')}\n${'x'.repeat(DUMP_LINE_BYTES_MAX + 10)}`);
  assert.match(refusal(path), /^dump:2: the line is longer than \d+ bytes/);
});

test('a file that is no recording is refused with the list of supported formats', (t) => {
  for (const [content, pattern] of [
    ['', /it is empty/],
    ['\n\n', /it is empty/],
    ['{}\n{}\n', /all its lines are empty/],
    ['Dear diary\n', /its first line is neither JSON nor a Python list/],
    ['{"some":"json"}\n', /its first line has none of the supported formats/],
    ['[1, 2]\n', /its first line has none of the supported formats/],
    ['00:00:01.000{}\n', /name it TOPIC\.jsonStream/],
    [Buffer.from([0x1f, 0x8b, 0x08, 0xff, 0xfe]), /it is not UTF-8 text/],
  ] as const) {
    const message = refusal(dump(t, content));
    assert.match(message, /this kind of recording is not supported: /);
    assert.match(message, pattern);
    assert.match(message, /Give a folder of the live-timing archive .* FastF1, undercut-f1, SignalR frames or NDJSON/);
  }
  assert.match(refusal(dump(t, '{"type":6}\n')), /there is no message in it/);
});

test('a folder stands for its only recording; other files are ignored', (t) => {
  const folder = temporaryFolder(t);
  assert.match(refusal(folder), /there is no recording in this folder\. Give a folder of the live-timing archive/);
  writeFileSync(join(folder, 'README.md'), '# Recorded on Sunday\n');
  writeFileSync(join(folder, '.hidden'), core('LapCount', {}, '12:00:01'));
  mkdirSync(join(folder, 'more'));
  symlinkSync(join(folder, 'nothing'), join(folder, 'astray'));
  assert.match(refusal(folder), /there is no recording in this folder/);
  writeFileSync(join(folder, 'saturday.dat'), core('LapCount', {}, '12:00:01'));
  assert.equal(read(folder).length, 1);
  writeFileSync(join(folder, 'sunday.dat'), core('LapCount', {}, '12:00:01'));
  assert.match(refusal(folder), /there are several recordings in this folder: saturday\.dat, sunday\.dat\. Give one/);
});
