// How the client reaches the service: tokens, retries, times, errors.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { SlipstreamClient } from '#api/client/client.ts';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { CREDENTIALS, json, refusal, scriptedService } from './scripted-service.ts';

const USAGE = json(200, { data: { deliveryCount: 7 } });
const UNAUTHORIZED = refusal(401, 'unauthorized');

/** Checks an error of the client. */
function failing(expected: Partial<SlipstreamError>) {
  return (error: unknown): true => {
    assert.ok(error instanceof SlipstreamError, inspect(error));
    for (const [key, value] of Object.entries(expected)) {
      assert.deepEqual(error[key as keyof SlipstreamError], value, `${key} of ${inspect(error)}`);
    }
    return true;
  };
}

test('calls at the same time share one request for a token, and later ones its token', async (t) => {
  const { client, requests, tokens } = await scriptedService(t, USAGE);
  const answers = await Promise.all(Array.from({ length: 20 }, () => client.getUsage()));
  assert.deepEqual(answers[0], { deliveryCount: 7 });
  await client.getUsage();
  assert.equal(tokens(), 1);
  assert.deepEqual(new Set(requests.map(({ token }) => token)), new Set(['token-1']));
});

test('a token is renewed before it expires', async (t) => {
  const service = await scriptedService(t, USAGE);
  service.expiresInS = 1;
  await service.client.getUsage();
  await service.client.getUsage();
  assert.equal(service.tokens(), 1);
  await wait(600);
  await service.client.getUsage();
  assert.equal(service.tokens(), 2);
});

test('after a 401 the token is renewed once, for all calls that had the same one', async (t) => {
  let refused = 0;
  const service = await scriptedService(t, (request, response) => {
    if (request.token !== 'token-1') USAGE(request, response);
    // The last ones hear of it when there is a new token already.
    else setTimeout(() => UNAUTHORIZED(request, response), 30 * ++refused);
  });
  await Promise.all(Array.from({ length: 10 }, () => service.client.getUsage()));
  assert.deepEqual([service.tokens(), service.requests.length], [2, 20]);
});

test('a second 401, and credentials that are wrong, are errors', async (t) => {
  const service = await scriptedService(t, UNAUTHORIZED);
  await assert.rejects(service.client.getUsage(), failing({ status: 401, code: 'unauthorized', requestId: 'req_1' }));
  assert.deepEqual([service.requests.length, service.tokens()], [2, 2]);

  let asked = 0;
  service.oauth = (request, response) => {
    asked++;
    assert.deepEqual(request.body, {
      grant_type: 'client_credentials',
      client_id: CREDENTIALS.clientId,
      client_secret: CREDENTIALS.clientSecret,
    });
    refusal(401, 'invalid_client')(request, response);
  };
  await assert.rejects(service.client.getUsage(), failing({ status: 401, code: 'invalid_client' }));
  assert.equal(asked, 1);
  service.oauth = json(200, { access_token: 'a\nb', expires_in: 5 });
  await assert.rejects(service.client.getUsage(), failing({ status: null, code: 'invalid_answer' }));
});

test('the request for a token is sent again after 503', async (t) => {
  const service = await scriptedService(t, USAGE);
  const { oauth } = service;
  service.oauth = (request, response) => {
    service.oauth = oauth;
    refusal(503, 'unavailable', { 'retry-after': '0' })(request, response);
  };
  // A call that would itself not be sent again.
  await service.client.testWebhook({ webhookId: 'wh_1' });
  assert.deepEqual([service.tokens(), service.requests.length], [1, 1]);

  let asked = 0;
  const down = await scriptedService(t, USAGE);
  down.oauth = (request, response) => {
    asked++;
    refusal(503, 'unavailable', { 'retry-after': '0' })(request, response);
  };
  await assert.rejects(down.client.getUsage(), failing({ status: 503 }));
  assert.equal(asked, 3);
});

test('after 429 and 503 a call waits as long as the service says, and is sent again, a few times', async (t) => {
  const later = refusal(429, 'rate_limit_exceeded', { 'retry-after': '1' });
  const soon = refusal(503, 'unavailable', { 'retry-after': '0' });
  const patient = await scriptedService(t, later, soon, USAGE);
  const beganMs = performance.now();
  assert.equal((await patient.client.getUsage()).deliveryCount, 7);
  assert.ok(performance.now() - beganMs >= 1000);
  assert.equal(patient.requests.length, 3);

  const hopeless = await scriptedService(t, soon);
  await assert.rejects(hopeless.client.getUsage(), failing({ status: 503, code: 'unavailable', retryAfterS: 0 }));
  assert.equal(hopeless.requests.length, 3);
  const impatient = new SlipstreamClient({ baseUrl: hopeless.baseUrl, ...CREDENTIALS, retries: 0 });
  await assert.rejects(impatient.getUsage(), failing({ status: 503 }));
  assert.equal(hopeless.requests.length, 4);
});

test('the program hears at once of a wait that is long or of no use, and of a POST that may have been done', async (t) => {
  const cases = [
    [refusal(429, 'rate_limit_exceeded', { 'retry-after': '1800' }), { status: 429, retryAfterS: 1800 }],
    [refusal(429, 'simulate_quota_reached'), { status: 429, retryAfterS: null }],
    [refusal(503, 'unavailable', { 'retry-after': '0' }), { status: 503, retryAfterS: 0 }],
  ] as const;
  for (const [step, expected] of cases) {
    const { client, requests } = await scriptedService(t, step);
    await assert.rejects(client.testWebhook({ webhookId: 'wh_1' }), failing(expected));
    assert.equal(requests.length, 1);
  }
  const ofDate = new Date(Date.now() + 3_600_000).toUTCString();
  const dated = await scriptedService(t, refusal(429, 'rate_limit_exceeded', { 'retry-after': ofDate }));
  await assert.rejects(dated.client.getUsage(), (error: SlipstreamError) => {
    assert.ok(Math.abs(error.retryAfterS! - 3600) <= 2, inspect(error));
    return true;
  });
  const refused = await scriptedService(t, refusal(429, 'rate_limit_exceeded', { 'retry-after': '0' }), USAGE);
  await refused.client.testWebhook({ webhookId: 'wh_1' });
  assert.equal(refused.requests.length, 2, 'a POST that was refused is sent again');
});

test('a DELETE is not sent again after 503: the first one may have done its work, and the next would find nothing', async (t) => {
  const gone = refusal(404, 'not_found');
  const unsure = await scriptedService(t, refusal(503, 'unavailable', { 'retry-after': '0' }), gone);
  await assert.rejects(
    unsure.client.deleteWebhook({ webhookId: 'wh_1' }),
    failing({ status: 503, code: 'unavailable' }),
  );
  assert.equal(unsure.requests.length, 1);
  const done = json(200, { data: { webhookId: 'wh_1', deleted: true } });
  const refused = await scriptedService(t, refusal(429, 'rate_limit_exceeded', { 'retry-after': '0' }), done);
  assert.equal((await refused.client.deleteWebhook({ webhookId: 'wh_1' })).deleted, true);
  const changed = json(200, { data: { webhookId: 'wh_1', active: false } });
  const change = await scriptedService(t, refusal(503, 'unavailable', { 'retry-after': '0' }), changed);
  await change.client.changeWebhook({ webhookId: 'wh_1', active: false });
  assert.equal(change.requests.length, 2, 'a change that is made twice is the same');
});

test('an error has what the service said', async (t) => {
  const { client } = await scriptedService(t, refusal(404, 'not_found'));
  const expected = { name: 'SlipstreamError', status: 404, code: 'not_found', message: 'Refused: not_found.' } as const;
  await assert.rejects(client.getRun({ runId: 'run_1' }), failing({ ...expected, requestId: 'req_1' }));
});

test('a call takes no longer than it may', async (t) => {
  const { baseUrl } = await scriptedService(t, (_, response) => response.writeHead(200).write('{'));
  const client = new SlipstreamClient({ baseUrl, ...CREDENTIALS, timeoutMs: 200 });
  await assert.rejects(client.getUsage(), failing({ status: null, code: 'timeout', requestId: null }));
});

test('a call ends when the program wants it, and takes no other call along', async (t) => {
  const reason = new Error('the program wants it');
  const service = await scriptedService(t, () => {});
  const { oauth } = service;
  let give = () => {};
  service.oauth = (request, response) => {
    give = () => oauth(request, response);
  };
  const controllers = [new AbortController(), new AbortController()] as const;
  const calls = controllers.map(({ signal }) => service.client.getUsage({ signal }));
  const ended = calls.map((call) => assert.rejects(call, reason));
  await wait(50);
  controllers[0].abort(reason);
  await ended[0];
  assert.equal(service.requests.length, 0, 'it waited for the token');
  give();
  while (service.requests.length === 0) await wait(5);
  controllers[1].abort(reason);
  await ended[1];
  await assert.rejects(service.client.getUsage({ signal: AbortSignal.abort(reason) }), reason);

  const busy = await scriptedService(t, refusal(503, 'unavailable', { 'retry-after': '30' }));
  const waiting = new AbortController();
  const call = assert.rejects(busy.client.getUsage({ signal: waiting.signal }), reason);
  while (busy.requests.length === 0) await wait(5);
  await wait(50);
  waiting.abort(reason);
  await call;
});

test('what is not an answer of the service is an error: pages of proxies, redirects, half answers, no answer', async (t) => {
  const page = (status: number, headers = {}) => ({
    step: (_: unknown, response: import('node:http').ServerResponse) =>
      response.writeHead(status, headers).end('<html>'),
    expected: { status, code: 'invalid_answer' },
  });
  const cut = (_: unknown, response: import('node:http').ServerResponse) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"data":');
    setTimeout(() => response.destroy(), 20);
  };
  const cases = [
    page(200),
    page(502),
    page(302, { location: 'http://127.0.0.1:1/steal' }),
    { step: cut, expected: { status: null, code: 'no_answer' } },
  ];
  for (const { step, expected } of cases) {
    const { client } = await scriptedService(t, step);
    await assert.rejects(client.getUsage(), failing(expected));
  }
  const nowhere = createServer();
  await new Promise<void>((resolve) => nowhere.listen(0, '127.0.0.1', resolve));
  const { port } = nowhere.address() as AddressInfo;
  await new Promise((resolve) => nowhere.close(resolve));
  const client = new SlipstreamClient({ baseUrl: `http://127.0.0.1:${port}/v1`, ...CREDENTIALS });
  const message = 'the connection to the service failed: ECONNREFUSED';
  await assert.rejects(client.getUsage(), failing({ status: null, code: 'no_answer', message }));
});

test('paths, queries and bodies are as the calls say', async (t) => {
  const { client, requests } = await scriptedService(t, json(200, { data: null }));
  await client.listDeliveryLog({ webhookId: 'wh/1?', limit: 5, feed: 'lap.count' });
  await client.changeSubscription({ webhookId: 'wh_1', feedId: 'timing.data', active: false });
  await client.startReplay({ sessionId: 'demo-race', speed: 10 });
  await client.stopRun({ runId: 'run_1' });
  await client.changeWebhook({ webhookId: 'wh_1' });
  assert.deepEqual(
    requests.map(({ method, path, body }) => [method, path, body]),
    [
      ['GET', '/v1/webhooks/wh%2F1%3F/logs?limit=5&feed=lap.count', undefined],
      ['PATCH', '/v1/webhooks/wh_1/feeds/timing.data', { active: false }],
      ['POST', '/v1/simulate/runs', { sessionId: 'demo-race', speed: 10 }],
      ['DELETE', '/v1/simulate/stream?runId=run_1', undefined],
      ['PATCH', '/v1/webhooks/wh_1', {}],
    ],
  );
  for (const webhookId of ['', '.', '..', undefined as unknown as string]) {
    await assert.rejects(client.deleteWebhook({ webhookId }), /webhookId must be an id/);
  }
});

test('an answer that is not wrapped in data is given as it is', async (t) => {
  const quota = { limit: 5, used: 0 };
  const { client } = await scriptedService(t, json(200, quota));
  assert.deepEqual(await client.getSimulateQuota(), quota);
});

test('settings that cannot be right are refused by name', () => {
  const baseUrl = 'https://api.example.com/v1';
  const wrong = [
    [{ baseUrl: 'api.example.com' }, /baseUrl is not a URL/],
    [{ baseUrl: 'ftp://api.example.com/v1' }, /baseUrl must be an https or http URL/],
    [{ baseUrl: 'https://api.example.com' }, /baseUrl must end in \/v1/],
    [{ baseUrl: 'https://me:secret@api.example.com/v1' }, /baseUrl must have no user name/],
    [{ clientId: '' }, /clientId and clientSecret are needed/],
    [{ clientSecret: undefined as unknown as string }, /clientId and clientSecret are needed/],
    [{ timeoutMs: 0 }, /timeoutMs/],
    [{ retries: -1 }, /retries/],
  ] as const;
  for (const [options, message] of wrong) {
    assert.throws(
      () => new SlipstreamClient({ baseUrl, ...CREDENTIALS, ...options }),
      (error: TypeError) => message.test(error.message) && !error.message.includes('secret@'),
    );
  }
  assert.ok(new SlipstreamClient({ baseUrl: `${baseUrl}/`, ...CREDENTIALS }));
});

test('secrets are neither in errors nor in what inspect shows', async (t) => {
  const service = await scriptedService(t, refusal(404, 'not_found'));
  const error = await service.client.getUsage().catch((thrown) => thrown);
  const shown = [service.client, error].map((value) => inspect(value, { depth: 20, showHidden: true })).join('\n');
  assert.match(shown, /not_found/);
  assert.doesNotMatch(shown, /cs_of_the_test|token-1/);
  assert.equal(JSON.stringify(service.client), '{}');
});
