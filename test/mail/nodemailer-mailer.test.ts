import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Mail, MailError } from '#api/mail/mailer.ts';
import { NodemailerMailer, type NodemailerMailerOptions } from '#api/mail/nodemailer-mailer.ts';
import { withMailServer, withStranger } from './mail-server.ts';

const LINK = `https://site.example.com/verify-email?token=${'x'.repeat(43)}`;
const MAIL: Mail = {
  kind: 'test',
  to: 'ada@example.com',
  subject: 'A subject',
  text: `Look:\n\n${LINK}\n.\nThe end.\n`,
};

function mailerOf(t: TestContext, smtpUrl: string, options: Partial<NodemailerMailerOptions> = {}): NodemailerMailer {
  const mailer = new NodemailerMailer({ smtpUrl, from: 'Slipstream <no-reply@example.org>', ...options });
  t.after(() => mailer.close());
  return mailer;
}

/** Asserts that sending fails with a MailError, and returns its message. */
async function failureOf(sending: Promise<void>): Promise<string> {
  const error = await sending.then(
    () => assert.fail('the mail was sent'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MailError, String(error));
  return error.message;
}

test('a mail arrives unchanged, with its link in one piece', async (t) => {
  const server = await withMailServer(t);
  await mailerOf(t, server.url).send(MAIL);
  assert.equal(server.received.length, 1);
  const { from, to, message } = server.received[0]!;
  assert.deepEqual([from, to], ['no-reply@example.org', ['ada@example.com']]);
  const head = message.split('\r\n\r\n', 1)[0]!;
  assert.match(head, /^From: Slipstream <no-reply@example\.org>\r\nTo: ada@example\.com\r\nSubject: A subject\r\n/m);
  assert.match(head, /^Auto-Submitted: auto-generated\r$/m);
  assert.equal(message.slice(head.length + 4), MAIL.text.replaceAll('\n', '\r\n'));
});

test('non-ASCII text is encoded, and a subject cannot inject headers', async (t) => {
  const server = await withMailServer(t);
  await mailerOf(t, server.url).send({ ...MAIL, subject: 'Zürich\r\nBcc: eve@example.com', text: 'Grüße' });
  const { to, message } = server.received[0]!;
  assert.deepEqual(to, ['ada@example.com']);
  assert.doesNotMatch(message, /^Bcc:/im);
  assert.match(message, /^Subject: =\?UTF-8\?Q\?/m);
  assert.match(message, /Gr=C3=BC=C3=9Fe/);
});

test('the mailer signs in with the user and password of the URL', async (t) => {
  const server = await withMailServer(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (username === 'me@example.org' && password === 'p:ss') done(null, { user: username });
      else done(new Error('no'));
    },
  });
  await mailerOf(t, `smtp://me%40example.org:p%3Ass@127.0.0.1:${server.port}`).send(MAIL);
  assert.equal(server.received[0]!.user, 'me@example.org');
  const wrong = mailerOf(t, `smtp://me%40example.org:hunter2@127.0.0.1:${server.port}`);
  assert.equal(await failureOf(wrong.send(MAIL)), 'the mail server refuses the credentials (535)');
});

test('a refused mail fails with the code of the server, without the address, and the next mail goes through', async (t) => {
  const server = await withMailServer(t, {
    onRcptTo({ address }, _session, done) {
      if (address === 'nobody@example.com') {
        done(Object.assign(new Error(`no mailbox ${address} here`), { responseCode: 550 }));
      } else done();
    },
  });
  const mailer = mailerOf(t, server.url);
  const failure = await failureOf(mailer.send({ ...MAIL, to: 'nobody@example.com' }));
  assert.equal(failure, 'the mail server refuses the sender or the recipient (550)');
  await mailer.send(MAIL);
  assert.equal(server.received.length, 1);
});

test('when the server is unreachable or hangs up, the error says so without its address', async (t) => {
  const url = await withStranger(t, (socket) => socket.end());
  assert.equal(await failureOf(mailerOf(t, url).send(MAIL)), 'the mail server closes the connection');
  const nowhere = mailerOf(t, 'smtp://user:hunter2@127.0.0.1:1');
  assert.equal(await failureOf(nowhere.send(MAIL)), 'the mail server cannot be reached');
});

test('a mail fails at the deadline when the server hangs or never ends its response', async (t) => {
  const silent = await withStranger(t, () => {});
  const endless = await withStranger(t, (socket) => {
    socket.write('220 welcome\r\n');
    const timer = setInterval(() => socket.write('250-and another thing\r\n'), 10);
    socket.on('close', () => clearInterval(timer));
  });
  for (const url of [silent, endless]) {
    const mailer = mailerOf(t, url, { deadlineMs: 100 });
    assert.equal(await failureOf(mailer.send(MAIL)), 'the mail server does not respond in time');
  }
});

test('a bounded number of mails wait for a connection; one more fails at once', async (t) => {
  const url = await withStranger(t, () => {});
  const mailer = mailerOf(t, url, { waitingMax: 6, deadlineMs: 200 });
  const sending = Array.from({ length: 6 }, () => failureOf(mailer.send(MAIL)));
  assert.equal(await failureOf(mailer.send(MAIL)), 'too many mails are waiting already');
  for (const failure of await Promise.all(sending)) assert.equal(failure, 'the mail server does not respond in time');
  assert.equal(await failureOf(mailer.send(MAIL)), 'the mail server does not respond in time', 'there is room again');
});

test('mails share a connection; when the server hangs up before a mail, another connection is opened for it', async (t) => {
  let patient = true;
  const server = await withMailServer(t, {
    onMailFrom(_address, _session, done) {
      if (patient) return done();
      patient = true;
      server.hangUp();
    },
  });
  const mailer = mailerOf(t, server.url);
  await mailer.send(MAIL);
  await mailer.send(MAIL);
  assert.equal(server.connections(), 1);
  patient = false;
  await mailer.send(MAIL);
  assert.deepEqual([server.received.length, server.connections()], [3, 2]);
});
