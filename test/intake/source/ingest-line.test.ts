import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME_BYTES_MAX, MERGE_DEPTH_MAX } from '#engine/base/limits.ts';
import { readIngestLine } from '#engine/intake/source/ingest-line.ts';

const UTC = '2026-05-03T14:00:00.250Z';
const utcMs = Date.parse(UTC);
const line = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ topic: 'LapCount', utc: UTC, data: { CurrentLap: 1 }, ...fields });

test('a line holds a topic, a time, data and an optional sequence number', () => {
  assert.deepEqual(readIngestLine(line({})), { topic: 'LapCount', utcMs, json: '{"CurrentLap":1}', sequence: null });
  assert.deepEqual(readIngestLine(line({ topic: 'Position.z', data: '7ZSx', sequence: 17 })), {
    topic: 'Position.z',
    utcMs,
    json: '"7ZSx"',
    sequence: 17,
  });
  assert.deepEqual(readIngestLine(line({ topic: 'my-own_topic', data: 'text', sequence: null })), {
    topic: 'my-own_topic',
    utcMs,
    json: '"text"',
    sequence: null,
  });
});

test('a time is ISO 8601 with Z or an offset, on a day that exists', () => {
  for (const [utc, iso] of [
    ['2026-05-03T14:00:00Z', '2026-05-03T14:00:00.000Z'],
    ['2026-05-03T16:00:00+02:00', '2026-05-03T14:00:00.000Z'],
    ['2026-05-03T08:30:00.5-0530', '2026-05-03T14:00:00.500Z'],
    ['2024-02-29T00:00:00,25Z', '2024-02-29T00:00:00.250Z'],
  ] as const) {
    const message = readIngestLine(line({ utc }));
    assert.ok('utcMs' in message, utc);
    assert.equal(new Date(message.utcMs).toISOString(), iso);
  }
  const fine = readIngestLine(line({ utc: '2026-05-03T14:00:00.0006Z' }));
  assert.ok('utcMs' in fine && Math.abs(fine.utcMs - Date.parse('2026-05-03T14:00:00Z') - 0.6) < 0.001);
  for (const utc of [
    '2026-05-03T14:00:00',
    '2026-05-03 14:00:00Z',
    '2026-02-30T14:00:00Z',
    '2026-13-01T14:00:00Z',
    '2026-05-03T24:00:00Z',
    '2026-05-03T14:60:00Z',
    '2026-05-03T14:00:60Z',
    '2026-05-03T14:00:00+24:00',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    'yesterday',
    '',
  ]) {
    const problem = readIngestLine(line({ utc }));
    assert.ok('problem' in problem, utc);
    assert.equal(problem.field, 'utc');
  }
});

test('a problem names its field', () => {
  const deep = (levels: number): unknown => (levels === 0 ? {} : { a: deep(levels - 1) });
  for (const [text, field, pattern] of [
    ['{"topic":', null, /^the line is not JSON/],
    ['[1]', null, /^the line is not a JSON object/],
    ['null', null, /^the line is not a JSON object/],
    [line({ topic: undefined }), 'topic', /^topic is missing/],
    [line({ topic: 7 }), 'topic', /^topic is not a text/],
    [line({ topic: '' }), 'topic', /^topic "" is not 1 to 64 letters/],
    [line({ topic: 'x'.repeat(65) }), 'topic', /is not 1 to 64 letters/],
    [line({ topic: '../x' }), 'topic', /is not 1 to 64 letters/],
    [line({ utc: undefined }), 'utc', /^utc is missing/],
    [line({ utc: utcMs }), 'utc', /^utc is not a text/],
    [line({ data: undefined }), 'data', /^data is missing/],
    [line({ data: null }), 'data', /^data is neither a JSON object nor a JSON string/],
    [line({ data: 5 }), 'data', /^data is neither/],
    [line({ data: 'text' }), 'data', /^data is a JSON string in a topic of JSON objects/],
    [line({ topic: 'CarData.z' }), 'data', /^data is a JSON object in a compressed topic/],
    [line({ data: deep(MERGE_DEPTH_MAX) }), 'data', /^data is nested more than/],
    [line({ data: { a: 'ä'.repeat(FRAME_BYTES_MAX / 2) } }), 'data', /^data is larger/],
    [line({ sequence: 0 }), 'sequence', /^sequence is not a whole number from 1/],
    [line({ sequence: 1.5 }), 'sequence', /^sequence/],
    [line({ sequence: '1' }), 'sequence', /^sequence/],
    [line({ Sequence: 1 }), 'Sequence', /^"Sequence" is not a field; the fields are topic, utc, data and sequence/],
  ] as const) {
    const problem = readIngestLine(text);
    assert.ok('problem' in problem, text.slice(0, 80));
    assert.equal(problem.field, field, text.slice(0, 80));
    assert.match(problem.problem, pattern);
  }
  assert.ok('json' in readIngestLine(line({ data: deep(MERGE_DEPTH_MAX - 1) })));
  const abyss = `{"topic":"x","utc":"${UTC}","data":${'[['.repeat(500_000)}${']]'.repeat(500_000)}}`;
  assert.ok('problem' in readIngestLine(abyss));
});
