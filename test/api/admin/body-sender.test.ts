// How a body is forwarded: in few parts, without delay, and with at most one window of it in memory.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BodySender } from '#api/admin/body-sender.ts';
import { INGEST_WINDOW_BYTES } from '#engine/base/limits.ts';

function send() {
  const body = new PassThrough({ highWaterMark: 1 });
  const sent: string[] = [];
  const sender = new BodySender(body, {
    part: (bytes) => sent.push(Buffer.from(bytes).toString()),
    end: () => sent.push('END'),
    cut: () => sent.push('CUT'),
  });
  return { body, sent, sender };
}

test('a first line is sent at once; lines that arrive before it is taken are sent together, and the end comes last', async () => {
  const { body, sent, sender } = send();
  body.write('one\n');
  await turn();
  assert.deepEqual(sent, ['one\n']);
  for (let line = 0; line < 1_000; line++) body.write('more\n');
  body.end();
  await turn();
  assert.deepEqual(sent.length, 1, 'only one part is under way');
  sender.taken();
  await turn();
  assert.deepEqual(sent.slice(1), ['more\n'.repeat(1_000)]);
  sender.taken();
  assert.deepEqual(sent.slice(2), ['END']);
});

test('for an empty body only the end is sent', async () => {
  const { body, sent } = send();
  body.end();
  await turn();
  assert.deepEqual(sent, ['END']);
});

test('Q2: until a part is taken, at most one window is read', async () => {
  const { body, sent, sender } = send();
  const chunk = 'x'.repeat(INGEST_WINDOW_BYTES / 4);
  let written = 0;
  const write = (): void => {
    while (body.write(chunk)) written++;
    written++;
    body.once('drain', write);
  };
  write();
  for (let turns = 0; turns < 50; turns++) await turn();
  assert.equal(sent.length, 1);
  const before = written;
  assert.ok(before < 9, `${before} chunks of a quarter of the window were read`);
  sender.taken();
  for (let turns = 0; turns < 50; turns++) await turn();
  assert.equal(sent[1]!.length, INGEST_WINDOW_BYTES);
  assert.ok(written > before, 'reading resumes');
});

test('a body that breaks off is reported as cut, a complete one is not', async () => {
  const { body, sent } = send();
  body.write('half');
  await turn();
  body.destroy();
  await turn();
  assert.deepEqual(sent, ['half', 'CUT']);
  const whole = send();
  whole.body.end('all');
  await turn();
  whole.sender.taken();
  whole.body.destroy();
  await turn();
  assert.deepEqual(whole.sent, ['all', 'END']);
});

test('a stopped sender leaves the rest of the body to other readers', async () => {
  const { body, sent, sender } = send();
  body.write('one');
  await turn();
  sender.stop();
  body.pause();
  body.end('two');
  assert.equal(await body.toArray().then((chunks) => Buffer.concat(chunks).toString()), 'two');
  assert.deepEqual(sent, ['one']);
});
