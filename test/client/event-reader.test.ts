import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { EVENT_CHARS_MAX } from '#api/client/bounds.ts';
import { EventReader, type ServerEvent } from '#api/client/event-reader.ts';

/** Reads the bytes in pieces that end at these places. */
function readInPieces(bytes: Uint8Array, ends: readonly number[]): { events: ServerEvent[]; lastId: string } {
  const reader = new EventReader();
  const cuts = [0, ...ends.filter((end) => end < bytes.length).toSorted((a, b) => a - b), bytes.length];
  const events = cuts.slice(1).flatMap((end, index) => reader.read(bytes.subarray(cuts[index], end)));
  return { events, lastId: reader.lastId };
}

const STREAM = `\uFEFF: hello\r\nid: a\n\n\
event: stream\rdata: {"state":"open"}\r\r\
id: b:1\r\nevent: lap.count\r\ndata: {"name":"Müller 🏁"}\r\n\r\n\
: ping\n\ndata:no space\ndata:  two\ndata\nretry: 10\nother: x\nid\n\n\
id: c\0d\ndata: the id with a zero is ignored\n\n\
data: cut off\n`;

test('the same events come out wherever the network cuts: in letters, in line ends, in fields', () => {
  const bytes = Buffer.from(STREAM);
  const expected = [
    { id: 'a', event: 'stream', data: '{"state":"open"}' },
    { id: 'b:1', event: 'lap.count', data: '{"name":"Müller 🏁"}' },
    { id: '', event: 'message', data: 'no space\n two\n' },
    { id: '', event: 'message', data: 'the id with a zero is ignored' },
  ];
  for (let cut = 0; cut <= bytes.length; cut++) {
    assert.deepEqual(readInPieces(bytes, [cut]).events, expected, `cut at byte ${cut}`);
  }
  assert.deepEqual(readInPieces(bytes, [...bytes.keys()]).events, expected, 'every byte alone');
});

test('an id without an event counts, and the id of an event that is cut off does not', () => {
  const read = (text: string) => readInPieces(Buffer.from(text), []).lastId;
  assert.equal(read(': begins here\nid: start\n\n'), 'start');
  assert.equal(read('id: 1\ndata: x\n\nid: 2\ndata: cut'), '1');
  assert.equal(read('id: 1\ndata: x\n\nid: 2\ndata: cut\n'), '1');
  assert.equal(read(': nothing\n\n'), '');
  const resumed = new EventReader('7');
  assert.deepEqual(resumed.read(Buffer.from('data: x\n\n')), [{ id: '7', event: 'message', data: 'x' }]);
  assert.equal(resumed.lastId, '7');
});

test('any stream gives the events that eventsource-parser reads from it', () => {
  const parts = [...'ab é🏁:', '\n', '\r', '\r\n', '\n\n', 'data: ', 'data:', 'event: ', 'id: ', 'id', ': ping', '\0'];
  const stream = fc.array(fc.constantFrom(...parts), { maxLength: 60 });
  fc.assert(
    fc.property(stream, fc.array(fc.nat(80), { maxLength: 8 }), (pieces, ends) => {
      // A whole last line, or the parser would wait to see whether a CR is the half of a line end.
      const text = `${pieces.join('')}\n\n`;
      const expected: Omit<ServerEvent, 'id'>[] = [];
      createParser({ onEvent: ({ event, data }) => expected.push({ event: event || 'message', data }) }).feed(text);
      const { events } = readInPieces(Buffer.from(text), ends);
      assert.deepEqual(
        events.map(({ event, data }) => ({ event, data })),
        expected,
      );
    }),
    { numRuns: Number(process.env.FUZZ_RUNS ?? 1) * 500 },
  );
});

test('an event that does not end, and bytes that are not UTF-8, are errors', () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x');
  const readFor = (begin: string, piece: Uint8Array) => () => {
    const reader = new EventReader();
    reader.read(Buffer.from(begin));
    for (let chars = 0; chars <= EVENT_CHARS_MAX; chars += piece.length) reader.read(piece);
  };
  assert.throws(readFor('data: ', chunk), /more than 4194304 characters/);
  assert.throws(readFor('', Buffer.from(`data: ${'x'.repeat(64 * 1024)}\n`)), /more than 4194304 characters/);
  assert.doesNotThrow(readFor('', Buffer.from(`data: ${'x'.repeat(64 * 1024)}\n\n`)));
  assert.throws(() => new EventReader().read(Buffer.from([0x64, 0xff, 0x0a])), TypeError);
});
