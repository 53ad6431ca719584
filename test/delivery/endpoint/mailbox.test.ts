import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAILBOX_POSITIONS_MAX } from '#engine/base/limits.ts';
import { Mailbox } from '#engine/delivery/endpoint/mailbox.ts';

test('I2: a full mailbox refuses a position and keeps those that it has', () => {
  const mailbox = new Mailbox();
  for (let position = 0; position < MAILBOX_POSITIONS_MAX; position++) assert.equal(mailbox.offer(position), 'queued');
  assert.equal(mailbox.offer(MAILBOX_POSITIONS_MAX), 'full');
  assert.equal(mailbox.length, MAILBOX_POSITIONS_MAX);
  assert.equal(mailbox.take(), 0);
  assert.equal(mailbox.offer(MAILBOX_POSITIONS_MAX), 'queued');
});

test('I5: positions leave a mailbox in the order in which they were offered', () => {
  const mailbox = new Mailbox();
  for (const position of [3, 5, 8]) mailbox.offer(position);
  assert.equal(mailbox.peek(), 3);
  assert.deepEqual([mailbox.take(), mailbox.take(), mailbox.take()], [3, 5, 8]);
  assert.equal(mailbox.peek(), null);
});
