// How a body is sent on: few parts, none of them late, and no more of it in memory than a window.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { BodySender } from '#api/admin/body-sender.ts';
import { INGEST_WINDOW_BYTES } from '#engine/base/limits.ts';

function send() {
  const body = new PassThrough({ highWaterMark: 1 });
  const told: string[] = [];
  const sender = new BodySender(body, {
    part: (bytes) => told.push(Buffer.from(bytes).toString()),
    end: () => told.push('END'),
    cut: () => told.push('CUT'),
  });
  return { body, told, sender };
}

test('a lone line goes at once; what comes before it is taken goes together, and the end comes last', async () => {
  const { body, told, sender } = send();
  body.write('one\n');
  await turn();
  assert.deepEqual(told, ['one\n']);
  for (let line = 0; line < 1_000; line++) body.write('more\n');
  body.end();
  await turn();
  assert.deepEqual(told.length, 1, 'one part is on its way');
  sender.taken();
  await turn();
  assert.deepEqual(told.slice(1), ['more\n'.repeat(1_000)]);
  sender.taken();
  assert.deepEqual(told.slice(2), ['END']);
});

test('a body without a byte is an end', async () => {
  const { body, told } = send();
  body.end();
  await turn();
  assert.deepEqual(told, ['END']);
});

test('Q2: while a part is not taken, no more is read than a window', async () => {
  const { body, told, sender } = send();
  const chunk = 'x'.repeat(INGEST_WINDOW_BYTES / 4);
  let written = 0;
  const write = (): void => {
    while (body.write(chunk)) written++;
    written++;
    body.once('drain', write);
  };
  write();
  for (let turns = 0; turns < 50; turns++) await turn();
  assert.equal(told.length, 1);
  const before = written;
  assert.ok(before < 9, `${before} chunks of a quarter of the window were read`);
  sender.taken();
  for (let turns = 0; turns < 50; turns++) await turn();
  assert.equal(told[1]!.length, INGEST_WINDOW_BYTES);
  assert.ok(written > before, 'it goes on');
});

test('a body that breaks off is cut, one that is whole is not', async () => {
  const { body, told } = send();
  body.write('half');
  await turn();
  body.destroy();
  await turn();
  assert.deepEqual(told, ['half', 'CUT']);
  const whole = send();
  whole.body.end('all');
  await turn();
  whole.sender.taken();
  whole.body.destroy();
  await turn();
  assert.deepEqual(whole.told, ['all', 'END']);
});

test('once it is stopped the rest of the body is there for others', async () => {
  const { body, told, sender } = send();
  body.write('one');
  await turn();
  sender.stop();
  body.pause();
  body.end('two');
  assert.equal(await body.toArray().then((chunks) => Buffer.concat(chunks).toString()), 'two');
  assert.deepEqual(told, ['one']);
});
