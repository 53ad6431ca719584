import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Mail, MailError } from '#api/mail/mailer.ts';
import { OutboxMailer } from '#api/mail/outbox-mailer.ts';
import type { Log } from '#engine/base/log.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const LINK = `http://127.0.0.1:8080/verify-email?token=${'x'.repeat(43)}`;
const MAIL: Mail = { kind: 'verification', to: 'ada@example.com', subject: 'A subject', text: `Look:\n\n${LINK}\n` };

function outbox(t: TestContext, filesMax = 3) {
  const folder = join(temporaryFolder(t), 'outbox');
  const lines: string[] = [];
  const log: Log = {
    info: (details, message) => lines.push(JSON.stringify({ ...details, message })),
    warn() {},
    error() {},
  };
  let wallMs = Date.UTC(2026, 4, 1, 12);
  const clock = { nowMs: () => 0, wallMs: () => wallMs++ };
  return { folder, lines, mailer: new OutboxMailer({ folder, from: 'Me <me@example.org>', clock, log, filesMax }) };
}

test('a mail is a file that only its owner can read, with its link on one line; the log names the file, not the link', async (t) => {
  const { folder, lines, mailer } = outbox(t);
  await mailer.send(MAIL);
  const [name] = readdirSync(folder);
  assert.match(name!, /^20260501T120000000Z-verification-[0-9a-f]{8}\.eml$/);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, name!)).mode & 0o777, 0o600);
  const message = readFileSync(join(folder, name!), 'utf8');
  assert.match(message, /^From: Me <me@example\.org>$/m);
  assert.match(message, /^To: ada@example\.com$/m);
  assert.ok(message.endsWith(`\n\n${MAIL.text}`));
  assert.equal(lines.length, 1);
  assert.ok(lines[0]!.includes(name!));
  assert.doesNotMatch(lines[0]!, /token|xxx|ada/);
});

test('the outbox keeps the newest mails, and leaves files that are not its own alone', async (t) => {
  const { folder, mailer } = outbox(t, 3);
  mkdirSync(folder);
  writeFileSync(join(folder, '0000-mine.eml'), '');
  for (let i = 1; i <= 5; i++) await mailer.send({ ...MAIL, kind: `mail-${i}` });
  const kinds = readdirSync(folder).map((name) => /mail-\d|mine/.exec(name)?.[0]);
  assert.deepEqual(kinds, ['mine', 'mail-3', 'mail-4', 'mail-5']);
});

test('an outbox that cannot be written fails with a MailError that names the folder', async (t) => {
  const { folder, mailer } = outbox(t);
  writeFileSync(folder, 'in the way');
  await assert.rejects(mailer.send(MAIL), (error) => error instanceof MailError && error.message.includes(folder));
});

test('mails sent at once are all written, the newest are kept, and those of an earlier start count', async (t) => {
  const { folder, mailer } = outbox(t, 4);
  mkdirSync(folder);
  for (let i = 1; i <= 3; i++) writeFileSync(join(folder, `20250101T12000000${i}Z-old-0000000${i}.eml`), '');
  await Promise.all([1, 2, 3].map((i) => mailer.send({ ...MAIL, kind: `mail-${i}` })));
  assert.deepEqual(
    readdirSync(folder).map((name) => /old-0000000\d|mail-\d/.exec(name)?.[0]),
    ['old-00000003', 'mail-1', 'mail-2', 'mail-3'],
  );
});

test('the folder is listed for the first mail only, and made again when it was removed', async (t) => {
  const { folder, mailer } = outbox(t, 2);
  await mailer.send(MAIL);
  writeFileSync(join(folder, '20250101T120000001Z-copied-00000001.eml'), '');
  await mailer.send(MAIL);
  assert.equal(readdirSync(folder).length, 3);
  rmSync(folder, { recursive: true });
  for (let i = 1; i <= 3; i++) await mailer.send({ ...MAIL, kind: `mail-${i}` });
  assert.deepEqual(
    readdirSync(folder).map((name) => /mail-\d/.exec(name)?.[0]),
    ['mail-2', 'mail-3'],
  );
});

test('a mail is kept also if the clock was set back: those with later times in their names were written before it', async (t) => {
  const { folder, mailer } = outbox(t, 2);
  mkdirSync(folder);
  for (let i = 1; i <= 2; i++) writeFileSync(join(folder, `20990101T12000000${i}Z-ahead-0000000${i}.eml`), '');
  const kept = () => readdirSync(folder).map((name) => /ahead-0000000\d|mail-\d/.exec(name)?.[0]);
  await mailer.send({ ...MAIL, kind: 'mail-1' });
  assert.deepEqual(kept(), ['mail-1', 'ahead-00000002']);
  for (let i = 2; i <= 3; i++) await mailer.send({ ...MAIL, kind: `mail-${i}` });
  assert.deepEqual(kept(), ['mail-2', 'mail-3']);
});
