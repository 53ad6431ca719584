// Sign-up with a real mail server behind a real socket, whether the server behaves well or not.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { NodemailerMailer } from '#api/mail/nodemailer-mailer.ts';
import { MAIL_DEADLINE_MS } from '#engine/base/limits.ts';
import { type Harness, until, withApi } from '#test/support/api-harness.ts';
import { silentLog } from '#test/support/database.ts';
import { BEHIND_PROXY, PASSWORD, post, signUpBody, someEmail } from '#test/support/people.ts';
import { type MailServer, withMailServer, withStranger } from './mail-server.ts';

const { sql } = await withApi({ after });

async function withMails(
  t: TestContext,
  smtpUrl: string,
  { deadlineMs = MAIL_DEADLINE_MS, log = silentLog } = {},
): Promise<Harness> {
  const mailer = new NodemailerMailer({ smtpUrl, from: 'no-reply@example.org', deadlineMs });
  const api = await withApi(t, { sql, mailer, log, front: BEHIND_PROXY });
  t.after(() => mailer.close());
  return api;
}

/** The token in the newest mail that the server has received for this address. */
async function receivedToken({ received }: MailServer, email: string): Promise<string> {
  const message = () => received.findLast(({ to }) => to[0] === email)?.message;
  await until(() => message() !== undefined);
  return /^https:\/\/site\.example\.com\/verify-email\?token=([\w-]{43})\r$/m.exec(message()!)![1]!;
}

test('a sign-up mail arrives with the link that verifies the account', async (t) => {
  const server = await withMailServer(t);
  const api = await withMails(t, server.url);
  const email = someEmail();
  assert.equal((await post(api, '/auth/signup', signUpBody(email))).status, 201);
  const token = await receivedToken(server, email);
  assert.equal((await post(api, '/auth/verify-email', { token })).status, 200);
  assert.equal((await post(api, '/auth/login', { email, password: PASSWORD })).status, 200);
});

test('when the server refuses, hangs up or hangs, the sign-up is 502, the account is kept, and a later link verifies it', async (t) => {
  const refusing = await withMailServer(t, {
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('no such mailbox'), { responseCode: 550 })),
  });
  const good = await withMailServer(t);
  const later = await withMails(t, good.url);
  for (const url of [refusing.url, await withStranger(t, (socket) => socket.end()), await withStranger(t, () => {})]) {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_fields: object, text: string) => void warnings.push(text) };
    const api = await withMails(t, url, { deadlineMs: 300, log });
    const email = someEmail();
    const { status, body } = await post(api, '/auth/signup', signUpBody(email));
    assert.deepEqual([status, body.code], [502, 'email_delivery_failed']);
    assert.equal((await post(api, '/auth/resend-verification', { email })).status, 200, 'the client sees no failure');
    // The mail is sent after the response. Its link must not replace the one that follows.
    await until(() => warnings.length === 2);
    assert.equal((await post(later, '/auth/resend-verification', { email })).status, 200);
    const token = await receivedToken(good, email);
    assert.equal((await post(later, '/auth/verify-email', { token })).status, 200);
  }
});
