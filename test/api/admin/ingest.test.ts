// An operator's own source: what is accepted, what is refused, and what a sender can rely on to continue.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { FRAME_BYTES_MAX, INGEST_LINE_BYTES_MAX, LIVE_SESSIONS_MAX } from '#engine/base/limits.ts';
import { LocalFrameLog } from '#engine/intake/live/frame-log.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import { until } from '#test/support/api-harness.ts';
import { heartbeat, heartbeats, NDJSON, ndjson, withOperators } from './operators.ts';

const ID = '2026-club-race';

test('N1: lines become frames, the first one begins the session, and the response says how far it got', async (t) => {
  const operators = await withOperators(t);
  const { status, body } = await operators.feed(ID, heartbeats(3));
  assert.equal(status, 200);
  assert.deepEqual(body, { data: { sessionId: ID, accepted: 3, repeated: 0, lastSequence: 3 } });
  assert.deepEqual(operators.events, [`opened ${ID}`]);
  const unnumbered = [heartbeat(4, false), heartbeat(5, false)];
  assert.equal((await operators.feed(ID, unnumbered)).body.data.lastSequence, 5);
  const progress = await operators.call('GET', `/v1/ingest/${ID}`);
  assert.equal(progress.body.data.lastSequence, 5);
  assert.equal(operators.sessions.get(ID)!.frames, 5);
});

test('N1: lines already recorded count as repeated and change nothing, wherever the sender restarts', async (t) => {
  const operators = await withOperators(t);
  await operators.feed(ID, heartbeats(5));
  const again = await operators.feed(ID, heartbeats(8));
  assert.deepEqual(again.body.data, { sessionId: ID, accepted: 3, repeated: 5, lastSequence: 8 });
  assert.equal(operators.sessions.get(ID)!.frames, 8);
});

test('a node that follows a session no more sends its source to another one, to feed it and to end it', async (t) => {
  const operators = await withOperators(t);
  await operators.feed(ID, heartbeats(3));
  t.mock.method(LocalFrameLog.prototype, 'claim', async () => 'left');
  t.mock.method(LocalFrameLog.prototype, 'end', async () => 'left');
  for (const answer of [
    await operators.feed(ID, heartbeats(5)),
    await operators.call('POST', `/v1/ingest/${ID}/end`),
  ]) {
    assert.deepEqual([answer.status, answer.body.code], [503, 'unavailable']);
    assert.match(answer.body.error, /send this to another node/);
  }
});

test('a node that has left a session says so also when it is asked for its progress, or for its end later', async (t) => {
  const operators = await withOperators(t);
  t.mock.method(LocalFrameLog.prototype, 'look', async () => 'left');
  for (const [method, path] of [
    ['GET', `/v1/ingest/${ID}`],
    ['POST', `/v1/ingest/${ID}/end`],
  ] as const) {
    const { status, body } = await operators.call(method, path);
    assert.deepEqual([status, body.code], [503, 'unavailable'], path);
    assert.match(body.error, /send this to another node/);
  }
});

test('N1: a gap is refused with the sequence to continue from; lines before it are accepted', async (t) => {
  const operators = await withOperators(t);
  const gap = await operators.feed(ID, [...heartbeats(2), heartbeat(4)]);
  assert.equal(gap.status, 409);
  assert.equal(gap.body.code, 'sequence_gap');
  assert.match(gap.body.error, /^Line 3: sequence 4 does not follow 2: send 3 first\. .*Accepted up to sequence 2\.$/);
  assert.equal((await operators.feed(ID, heartbeats(2, 3))).status, 200);
  const first = await operators.feed('2026-other-race', [heartbeat(2)]);
  assert.deepEqual([first.status, first.body.code], [409, 'sequence_gap']);
  assert.equal(operators.sessions.get('2026-other-race'), null, 'a session cannot begin with a gap');
});

test('N2: the first invalid line ends the request and is named; nothing after it is accepted', async (t) => {
  const operators = await withOperators(t);
  const bad = [
    ['not json', /line is not JSON/],
    ['[]', /not a JSON object/],
    ['{"topic":"Heartbeat"}', /utc is missing/],
    [JSON.stringify({ ...heartbeat(3), utc: 'yesterday' }), /utc "yesterday"/],
    [JSON.stringify({ ...heartbeat(3), sequence: 0 }), /sequence/],
    [JSON.stringify({ ...heartbeat(3), topic: '../../etc' }), /topic/],
    [JSON.stringify({ ...heartbeat(3), extra: 1 }), /"extra" is not a field/],
  ] as const;
  await operators.feed(ID, heartbeats(2));
  for (const [line, expected] of bad) {
    const text = `\n${line}\n${JSON.stringify(heartbeat(3))}\n`;
    const { status, body } = await operators.feed(ID, text);
    assert.deepEqual([status, body.code, body.statusCode], [400, 'invalid_line', 400], line);
    assert.match(body.error, expected);
    assert.match(body.error, /^Line 2: .*Accepted up to sequence 2\.$/);
    assert.equal(operators.sessions.get(ID)!.frames, 2, line);
  }
  assert.deepEqual(operators.failures, []);
});

test('N2: an invalid line in a body still being sent gets a response, not a connection reset', async (t) => {
  const operators = await withOperators(t);
  const stream = operators.stream(ID);
  stream.write(ndjson(heartbeats(2)));
  stream.write('nonsense\n');
  // A sender that has not read the response yet keeps sending for a while.
  for (let i = 0; i < 100; i++) {
    stream.write(`${'x'.repeat(64 * 1024)}\n`);
    if (i % 10 === 0) await pause(1);
  }
  stream.end();
  const { status, body } = await stream.answer;
  stream.abort();
  assert.deepEqual([status, body.code], [400, 'invalid_line']);
  assert.match(body.error, /Line 3: .*Accepted up to sequence 2\./);
});

test('lines may be empty, end with CR LF or be split anywhere, and the last one needs no line end', async (t) => {
  const operators = await withOperators(t);
  const text = `\r\n${ndjson(heartbeats(4)).replaceAll('\n', '\r\n')}  \n${JSON.stringify({ ...heartbeat(5), data: { Utc: 'é€😀' } })}`;
  const stream = operators.stream(ID);
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += 7) {
    stream.write(bytes.subarray(from, from + 7));
    if (from % 70 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  stream.end();
  assert.equal((await stream.answer).body.data.accepted, 5);
});

test('each line is published as soon as it arrives, even if the request stays open', async (t) => {
  const operators = await withOperators(t);
  const stream = operators.stream(ID);
  for (let n = 1; n <= 3; n++) {
    stream.write(ndjson([heartbeat(n)]));
    await until(() => operators.sessions.get(ID)?.frames === n);
  }
  stream.end();
  assert.equal((await stream.answer).status, 200);
});

test('a sender that disconnects in the middle of a line loses only that line, and continues with the next request', async (t) => {
  const operators = await withOperators(t);
  const stream = operators.stream(ID);
  stream.write(`${ndjson(heartbeats(3))}{"topic":"Heartbeat","utc":"2026-05-03T14:00:04Z","data":{}}`);
  await until(() => operators.sessions.get(ID)?.frames === 3);
  stream.abort();
  await until(async () => (await operators.feed(ID, [heartbeat(3)])).status === 200);
  assert.equal(operators.sessions.get(ID)!.frames, 3, 'the incomplete line was not accepted');
  assert.equal((await operators.feed(ID, [heartbeat(4)])).body.data.accepted, 1);
  assert.deepEqual(operators.failures, []);
});

test('N3: only one request at a time feeds a session; other sessions can be fed in parallel', async (t) => {
  const operators = await withOperators(t);
  const stream = operators.stream(ID);
  stream.write(ndjson([heartbeat(1)]));
  await until(() => operators.sessions.get(ID) !== null);
  const second = await operators.feed(ID, [heartbeat(2)]);
  assert.deepEqual([second.status, second.body.code], [409, 'session_busy']);
  const end = await operators.call('POST', `/v1/ingest/${ID}/end`);
  assert.deepEqual([end.status, end.body.code], [409, 'session_busy']);
  assert.equal((await operators.feed('2026-other-race', [heartbeat(1)])).status, 200);
  stream.end();
  await stream.answer;
  assert.equal((await operators.feed(ID, [heartbeat(2)])).status, 200);
});

test('an overlong line is refused before all of it is in memory, and so is an oversized message', async (t) => {
  const operators = await withOperators(t);
  const long = operators.stream(ID);
  let answered = false;
  long.answer.then(
    () => {
      answered = true;
    },
    () => {},
  );
  for (let bytes = 0; bytes < 2 * FRAME_BYTES_MAX && !answered; bytes += 256 * 1024) {
    long.write('x'.repeat(256 * 1024));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const { status, body } = await long.answer;
  long.abort();
  assert.deepEqual([status, body.code], [413, 'line_too_long']);
  const large = await operators.feed(ID, [{ ...heartbeat(1), data: { Utc: 'x'.repeat(FRAME_BYTES_MAX) } }]);
  assert.deepEqual([large.status, large.body.code], [400, 'invalid_line']);
  assert.deepEqual(operators.failures, []);
});

test('a line that is slightly too long is called that, wherever it is cut and whether it ends or not', async (t) => {
  const operators = await withOperators(t);
  const frame = JSON.stringify(heartbeat(2));
  const ofBytes = (bytes: number): string => `${frame}${' '.repeat(bytes - frame.length)}`;
  for (const end of ['\n', `\n${JSON.stringify(heartbeat(3))}\n`, '']) {
    await operators.feed(ID, heartbeats(1));
    for (const line of [ofBytes(INGEST_LINE_BYTES_MAX + 1), 'x'.repeat(INGEST_LINE_BYTES_MAX + 1)]) {
      const { status, body } = await operators.feed(ID, `\n${line}${end}`);
      assert.deepEqual([status, body.code], [413, 'line_too_long'], JSON.stringify([line.slice(0, 9), end]));
      assert.match(body.error, /^A line is longer than \d+ bytes\. Accepted up to sequence 1\.$/);
    }
  }
  assert.equal((await operators.feed(ID, `${ofBytes(INGEST_LINE_BYTES_MAX)}\n`)).body.data.accepted, 1);
});

test('an ended session cannot begin again, whether its recording is local or only in the catalogue', async (t) => {
  const operators = await withOperators(t);
  await operators.feed(ID, heartbeats(2));
  const ended = await operators.call('POST', `/v1/ingest/${ID}/end`);
  assert.deepEqual([ended.status, ended.body.data.lastSequence], [200, 2]);
  assert.ok(operators.catalogue.entries.has(ID));
  const entry = operators.catalogue.entries.get(ID)!;
  operators.catalogue.entries.set('demo-race', { ...entry, sessionId: 'demo-race' });
  operators.catalogue.entries.delete(ID);
  for (const id of [ID, 'demo-race']) {
    const again = await operators.feed(id, [heartbeat(1)]);
    assert.deepEqual([again.status, again.body.code], [409, 'session_over'], id);
  }
  assert.equal((await operators.call('POST', `/v1/ingest/${ID}/end`)).status, 404);
  assert.equal((await operators.call('GET', `/v1/ingest/${ID}`)).status, 404);
});

test('while the database is unavailable, a live session still accepts lines, and a new one gets 503', async (t) => {
  const operators = await withOperators(t);
  await operators.feed(ID, [heartbeat(1)]);
  operators.catalogue.away = true;
  assert.equal((await operators.feed(ID, [heartbeat(2)])).status, 200);
  const other = await operators.feed('2026-other-race', [heartbeat(1)]);
  assert.deepEqual([other.status, other.body.code], [503, 'unavailable']);
  assert.deepEqual(operators.failures, [], 'the live thread need not restart');
});

test('a session from live timing cannot be fed by an operator', async (t) => {
  const operators = await withOperators(t);
  operators.sessions.begin({ sessionId: ID, seriesId: 'f1', origin: 'http://live.example' }, 0);
  for (const [method, path] of [
    ['POST', ''],
    ['GET', ''],
    ['POST', '/end'],
  ] as const) {
    const { status, body } = await operators.call(method, `/v1/ingest/${ID}${path}`, undefined, NDJSON);
    assert.deepEqual([status, body.code], [409, 'session_taken'], `${method} ${path}`);
  }
});

test('with too many sessions at once, another one gets 503 until one has ended', async (t) => {
  const operators = await withOperators(t);
  for (let n = 0; n < LIVE_SESSIONS_MAX; n++) await operators.feed(`session-${n}`, [heartbeat(1)]);
  const more = await operators.feed('one-more', [heartbeat(1)]);
  assert.deepEqual([more.status, more.body.code], [503, 'too_many_sessions']);
  await operators.call('POST', '/v1/ingest/session-3/end');
  assert.equal((await operators.feed('one-more', [heartbeat(1)])).status, 200);
});

test('if a silent session is ended while a request is open, the next line gets 409', async (t) => {
  const operators = await withOperators(t);
  const stream = operators.stream(ID);
  stream.write(ndjson([heartbeat(1)]));
  await until(() => operators.sessions.get(ID)?.frames === 1);
  await operators.sessions.end(operators.sessions.get(ID) as LiveSession);
  stream.write(ndjson([heartbeat(2)]));
  stream.write(ndjson([heartbeat(1, false)]));
  const { status, body } = await stream.answer;
  stream.abort();
  assert.equal(status, 409);
  assert.match(body.code, /^(sequence_gap|session_over)$/);
  assert.deepEqual(operators.failures, []);
});

test('a write failure gets 503, is logged and is reported to the live thread', async (t) => {
  const operators = await withOperators(t);
  writeFileSync(join(operators.dataDir, 'live', `${ID}.frames`), 'somebody else');
  const { status, body } = await operators.feed(ID, heartbeats(2));
  assert.deepEqual([status, body.code], [503, 'unavailable']);
  assert.doesNotMatch(body.error, /frames/, 'paths appear only in the log');
  assert.deepEqual(operators.log.errors, ["error an operator's request failed"]);
  assert.equal(operators.failures.length, 1);
});

test('a session id that is not a slug never reaches the file system', async (t) => {
  const operators = await withOperators(t);
  for (const id of ['..', '%2e%2e', '..%2f..%2fetc', 'UPPER', 'a--b', 'a_b', 'x'.repeat(101), 'a%00b', 'ä']) {
    const { status } = await operators.feed(encodeURI(id), [heartbeat(1)]);
    assert.ok(status === 400 || status === 404, `${id}: ${status}`);
  }
  assert.deepEqual([...operators.sessions.all()], []);
  assert.deepEqual(operators.failures, []);
});
