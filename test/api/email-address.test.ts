import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEmail } from '#api/accounts/email-address.ts';

test('an address may use letters of any script, and surrounding blanks are trimmed', () => {
  for (const text of ['ada@example.com', " o'hara+f1@mail.example.co.uk ", 'zürich@münchen.example']) {
    assert.equal(parseEmail(text), text.trim());
  }
});

test('text without a mailbox, with a second address or with control characters is rejected', () => {
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
