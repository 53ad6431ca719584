// Messages that are written by hand, against the real library and the published file; the table of statuses.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { END_STATUSES, REFUSAL_STATUSES, statusDetails } from '#api/grpc/grpc-status.ts';
import { FRAME_HEAD_BYTES } from '#api/grpc/message-frames.ts';
import { eachSent, SentUpdates } from '#api/grpc/sent-updates.ts';
import { encodeUpdate, updateMessage } from '#api/grpc/update-message.ts';
import { REFUSALS } from '#api/http/api-error.ts';
import { STREAM_ENDS } from '#api/http/stream-end.ts';
import { deriveRace } from '#bench/load/race-slice.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import { PROTO } from '#test/support/grpc-client.ts';

const definition = loadSync(PROTO, { keepCase: true, longs: Number, defaults: true });
const { Subscribe } = definition['slipstream.v1.Updates'] as Record<
  string,
  { responseDeserialize(bytes: Buffer): unknown }
>;
const race = deriveRace('demo');

function readFrame(frame: Uint8Array): unknown {
  const bytes = Buffer.from(frame);
  assert.equal(bytes.readUInt8(0), 0, 'not compressed');
  assert.equal(bytes.readUInt32BE(1), bytes.length - FRAME_HEAD_BYTES);
  return Subscribe!.responseDeserialize(bytes.subarray(FRAME_HEAD_BYTES));
}

test('every update of a race is written as the library reads it', () => {
  for (let position = 0; position < race.length; position++) {
    const body = Buffer.from(race.body(position));
    const { feed, sessionId, sequence, utc } = JSON.parse(body.toString());
    const utcMs = Date.parse(utc);
    assert.deepEqual(readFrame(encodeUpdate(race, position)), {
      feed,
      session_id: sessionId,
      sequence,
      utc: { seconds: Math.floor(utcMs / 1_000), nanos: (utcMs % 1_000) * 1_000_000 },
      json: body,
      cursor: readCursor(position),
    });
  }
});

function readCursor(position: number): string {
  const { cursor } = readFrame(encodeUpdate(race, position)) as { cursor: string };
  assert.match(cursor, new RegExp(`^${race.info.sessionId}:${position + 1}~\\d+$`));
  return cursor;
}

test('the place after an update may name several sessions, and be longer than a byte tells', () => {
  const cursor = Array.from({ length: 12 }, (_, index) => `2026-session-number-${index}-race:123456~4`).join(',');
  const read = Subscribe!.responseDeserialize(updateMessage(race, 3, cursor)) as { cursor: string };
  assert.equal(read.cursor, cursor);
});

test('every refusal and every end of a stream has a status that gRPC knows', () => {
  assert.deepEqual(Object.keys(REFUSAL_STATUSES).sort(), Object.keys(REFUSALS).sort());
  assert.deepEqual(Object.keys(END_STATUSES).sort(), Object.keys(STREAM_ENDS).sort());
  for (const code of Object.values({ ...REFUSAL_STATUSES, ...END_STATUSES })) assert.ok(status[code] !== undefined);
  assert.deepEqual(
    Object.entries(END_STATUSES).filter(([, code]) => code === status.OK),
    [['completed', status.OK]],
  );
});

test('docs/api.md gives the codes of streams the statuses that they have', () => {
  const section = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8').split('\n## gRPC\n')[1]!;
  const rows = [...section.matchAll(/^\| `([A-Z_]+)` +\|[^|]*\|([^|]*)\|$/gm)];
  assert.equal(rows.length, 8);
  const statuses: Readonly<Record<string, number>> = { ...REFUSAL_STATUSES, ...END_STATUSES };
  for (const [, name, codes] of rows) {
    for (const [, code] of codes!.matchAll(/`(\w+)`/g)) assert.equal(status[statuses[code!]!], name, code);
  }
});

test('details are a google.rpc.Status with our code as the reason', () => {
  const hex = statusDetails(5, 'gone', 'not_found').toString('latin1');
  assert.equal(
    hex,
    '\x08\x05\x12\x04gone\x1a\x43\x0a\x28type.googleapis.com/google.rpc.ErrorInfo\x12\x17\x0a\x09not_found\x12\x0aslipstream',
  );
});

test('what streams have sent is counted by stream, feed and allowance, and taken once', () => {
  const sent = new SentUpdates();
  const [timing, laps] = [feedNumber('timing.data')!, feedNumber('lap.count')!];
  sent.add(7, timing, false, 1);
  sent.add(7, timing, false, 2);
  sent.add(7, timing, true, 1);
  sent.add(4_000_000_000, laps, false, 1);
  const counts: unknown[] = [];
  eachSent(sent.take(), (...count) => counts.push(count));
  assert.deepEqual(counts, [
    [7, timing, false, 3],
    [7, timing, true, 1],
    [4_000_000_000, laps, false, 1],
  ]);
  assert.ok(sent.isEmpty);
  assert.equal(sent.take().length, 0);
});
