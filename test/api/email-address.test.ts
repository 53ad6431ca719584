import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEmail } from '#api/accounts/email-address.ts';

test('an address is taken without the blanks around it, in the letters of any script', () => {
  for (const text of ['ada@example.com', " o'hara+f1@mail.example.co.uk ", 'zürich@münchen.example']) {
    assert.equal(parseEmail(text), text.trim());
  }
});

test('what has no mailbox, holds a second address or could end a line is no address', () => {
  for (const text of [
    '',
    'nobody',
    'a@b',
    '@example.com',
    'a b@example.com',
    'a@example.com,b@example.com',
    'Ada <ada@example.com>',
    'a@example.com\r\nBcc: b@example.com',
    'a\u0000@example.com',
    'a\u0007@example.com',
    'a\u200b@example.com',
    'a\ud800@example.com',
    `${'x'.repeat(243)}@example.com`,
  ]) {
    assert.equal(parseEmail(text), null, JSON.stringify(text));
  }
});
