import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { headerLines } from '#test/support/header-lines.ts';
import { eventually } from '#test/support/patience.ts';
import { makeReceiverCertificate } from '#workers/demo/pkijs-certificate.ts';
import { type ReceivedPayload, Receiver } from '#workers/demo/receiver.ts';
import { signatureProblem } from '#workers/demo/signature-check.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const RUN = 'run_00000000000000000000000001';

function headersFor(body: Buffer, sequence: number, attempt = 1, secret = SECRET): Record<string, string> {
  const headers = new DeliveryHeaders({
    mode: 'replay',
    sessionId: 'demo-race',
    run: { runId: RUN, speed: 10 },
    headerPrefix: 'X-Service',
  });
  const signer = new Signer(secret, null);
  const lines = headers.forAttempt(signer, headers.idPrefix('wh_1'), 'lap.count', sequence, attempt, body, Date.now());
  return Object.fromEntries([...headerLines(lines)].map(([name, value]) => [name.toLowerCase(), value]));
}

function bodyOf(sequence: number): Buffer {
  return Buffer.from(
    JSON.stringify({ feed: 'lap.count', sequence, utc: '2026-03-01T14:00:00.000Z', data: { text: 'é' } }),
  );
}

const CERTIFICATE = await makeReceiverCertificate(Date.now());
const SCHEMES = [
  { scheme: 'http', certificate: null },
  { scheme: 'https', certificate: CERTIFICATE },
] as const;

async function started(t: TestContext, certificate: typeof CERTIFICATE | null = null) {
  const updates: ReceivedPayload[] = [];
  const problems: string[] = [];
  const receiver = new Receiver('post', certificate, {
    onUpdate: (payload) => updates.push(payload),
    onProblem: (problem) => problems.push(problem),
  });
  receiver.useSecret(SECRET);
  await receiver.switchOn();
  t.after(() => receiver.switchOff());
  const secure = certificate !== null;
  const agent = secure ? new HttpsAgent({ keepAlive: true, ca: certificate.cert }) : new HttpAgent({ keepAlive: true });
  t.after(() => agent.destroy());
  /** Starts a request, whose body is still to be written, over a connection that is kept afterwards. */
  const open = (method: string, headers: Record<string, string>): ClientRequest =>
    (secure ? requestHttps : requestHttp)(receiver.url, { method, headers, agent });
  const deliver = async (sequence: number, change: Record<string, string> = {}, attempt = 1, method = 'POST') => {
    const body = bodyOf(sequence);
    const headers = { ...headersFor(body, sequence, attempt), ...change };
    return await answerOf(open(method, headers).end(body));
  };
  return { receiver, updates, problems, agent, open, deliver };
}

function answerOf(request: ClientRequest): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
  });
}

test('I6: both signatures that the service makes verify, and also with a Standard Webhooks library', () => {
  const body = bodyOf(1);
  const headers = headersFor(body, 1);
  assert.equal(signatureProblem(headers, body, SECRET, Date.now()), null);
  assert.doesNotThrow(() => new Webhook(SECRET).verify(body.toString(), headers));
});

test('an altered body, another secret, a missing or an old signature is refused', () => {
  const body = bodyOf(1);
  const headers = headersFor(body, 1);
  const now = Date.now();
  const altered = Buffer.concat([body, Buffer.from(' ')]);
  assert.match(signatureProblem(headers, altered, SECRET, now)!, /X-Service-Signature/);
  assert.match(signatureProblem(headersFor(body, 1, 1, 'whsec_b3RoZXI='), body, SECRET, now)!, /X-Service-Signature/);
  const { 'webhook-signature': _, ...without } = headers;
  assert.match(signatureProblem(without, body, SECRET, now)!, /webhook-signature/);
  assert.match(signatureProblem({ ...headers, 'webhook-id': 'evt_other' }, body, SECRET, now)!, /webhook-signature/);
  assert.match(signatureProblem(headers, body, SECRET, now + 301_000)!, /webhook-timestamp/);
  assert.match(signatureProblem({}, body, SECRET, now)!, /X-Service-Signature/);
});

test('each update is counted once; duplicates, reordered attempts and retries are counted separately', async (t) => {
  const { receiver, updates, deliver } = await started(t);
  for (const sequence of [1, 3, 2, 3]) assert.equal(await deliver(sequence), 200);
  assert.equal(await deliver(4, {}, 2), 200);
  assert.deepEqual(
    updates.map(({ sequence }) => sequence),
    [1, 3, 2, 4],
  );
  const { requests, duplicates, reordered, retries, badSignatures, misaddressed } = receiver.counts;
  assert.deepEqual([requests, duplicates, reordered, retries, badSignatures, misaddressed], [5, 1, 1, 1, 0, 0]);
});

test('a delivery with a wrong signature gets 401 and is not counted as an update', async (t) => {
  const { receiver, updates, problems, deliver } = await started(t);
  assert.equal(await deliver(1, { 'x-service-signature': `sha256=${'0'.repeat(64)}` }), 401);
  assert.equal(updates.length, 0);
  assert.equal(receiver.counts.badSignatures, 1);
  assert.deepEqual(problems, ['X-Service-Signature does not match']);
});

test('an unexpected method, mode, feed or run is noticed', async (t) => {
  const { receiver, deliver } = await started(t);
  await deliver(1);
  await deliver(2, {}, 1, 'PUT');
  await deliver(3, { 'x-service-mode': 'live' });
  await deliver(4, { 'x-service-feed': 'timing.data' });
  await deliver(5, { 'x-service-replay-run-id': 'run_other' });
  assert.equal(receiver.counts.misaddressed, 4);
});

for (const { scheme, certificate } of SCHEMES) {
  test(`over ${scheme}, a receiver that is switched off refuses connections, and returns on the same port`, async (t) => {
    const { receiver, agent, deliver } = await started(t, certificate);
    const { url } = receiver;
    assert.equal(new URL(url).protocol, `${scheme}:`);
    await deliver(1);
    await receiver.switchOff();
    assert.equal(receiver.isOn, false);
    await eventually('the kept connection is closed', () => Object.keys(agent.freeSockets).length === 0);
    await assert.rejects(deliver(2), { code: 'ECONNREFUSED' });
    await receiver.switchOn();
    assert.equal(receiver.url, url);
    assert.equal(await deliver(2), 200);
  });

  test(`over ${scheme}, a receiver that is being switched off answers the request that it is reading`, async (t) => {
    const { receiver, open, deliver } = await started(t, certificate);
    await deliver(1);
    const body = bodyOf(2);
    const request = open('POST', { ...headersFor(body, 2), expect: '100-continue' });
    request.flushHeaders();
    const status = answerOf(request);
    // The receiver has read the head.
    await once(request, 'continue');
    const off = receiver.switchOff();
    await delay(50);
    request.end(body);
    assert.equal(await status, 200);
    await off;
    assert.equal(receiver.received.size, 2);
  });

  test(`over ${scheme}, a connection without a request does not delay the switching off`, async (t) => {
    const { receiver, deliver } = await started(t, certificate);
    const port = Number(new URL(receiver.url).port);
    const unused =
      certificate === null ? connect(port, '127.0.0.1') : connectTls(port, '127.0.0.1', { ca: certificate.cert });
    t.after(() => unused.destroy());
    const closed = once(unused, 'close');
    await once(unused, certificate === null ? 'connect' : 'secureConnect');
    assert.equal(await deliver(1), 200);
    const off = receiver.switchOff().then(() => 'off');
    assert.equal(await Promise.race([off, delay(5_000, 'still on', { ref: false })]), 'off');
    await closed;
  });
}
