// "Try it out" of the documentation: every example of the OpenAPI document, sent to a service that was prepared as the
// quickstart does it, with the ids filled in by the script of the page. WRITE_EXAMPLES=1 records the answers that the
// reference shows.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { OPERATION_NOTES } from '#api/docs/operation-notes.ts';
import { operationsOf } from '#api/docs/portal/reference-pages.ts';
import { type ContractAnswer, contractService } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import { cookieOf, mailedToken } from './visitor.ts';

const RECORDED = new URL('../../api/docs/answer-examples.json', import.meta.url);
const SCRIPT = new URL('../../api/docs/try-page/own-ids.js', import.meta.url);
/** Of a list this many are shown. */
const ITEMS_SHOWN = 2;

interface TriedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface OwnIds {
  filled(request: TriedRequest): Promise<TriedRequest>;
  forget(): void;
}

type Send = (
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string },
) => Promise<unknown>;

/** What a fresh service refuses, as its document says: no link was mailed, nothing imported, no payments. */
const REFUSED: Readonly<Record<string, number>> = {
  'POST /auth/verify-email': 400,
  'GET /preview/{sessionId}': 404,
  'GET /fantasy/races/{raceId}/scores': 404,
  'POST /console/billing/checkout': 503,
  'POST /console/billing/portal': 503,
};

/** Operations that end what others need. */
const LAST = [
  'DELETE /simulate/stream',
  'DELETE /webhooks/{webhookId}',
  'POST /console/regenerate-secret',
  'POST /auth/logout',
];

const service = await contractService({ after }, { LIVE_TO_LOCALHOST: 'on' });
const receiver = await startWebhookReceiver();
after(() => receiver.close());
const { call } = service;
const account = OPERATION_NOTES['POST /auth/login']!.body as { email: string; password: string };
let cookie = '';

/** As the page sends what it needs to know. */
const send: Send = async (path, { method = 'GET', headers = {}, body }) => {
  const answer = await call(method, path, body, { cookie, headers });
  return answer.status < 300 ? answer.body : null;
};
const own = (
  runInNewContext(`${readFileSync(SCRIPT, 'utf8')}; ownIds`) as (send: Send, isSignedIn: () => boolean) => OwnIds
)(send, () => true);

/** Sends a request as the page does. */
async function tried(method: string, path: string, body?: unknown): Promise<ContractAnswer> {
  const request = await own.filled({ path, headers: {}, body: body === undefined ? undefined : JSON.stringify(body) });
  return call(method, request.path, request.body, { cookie, headers: request.headers });
}

before(async () => {
  assert.equal((await tried('POST', '/auth/signup', OPERATION_NOTES['POST /auth/signup']!.body)).status, 201);
  const token = await mailedToken(service, account.email);
  cookie = cookieOf(await call('POST', '/auth/verify-email', { token }));
  await service.admin(['account', 'plan', account.email, 'custom']);
  const created = await tried('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
  assert.equal(created.status, 201);
  await tried('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  await eventually('the demo race is ready', async () => {
    return (await tried('GET', '/simulate/status?session=demo-race')).body.data.status === 'ready';
  });
  await tried('GET', '/simulate/stream?session=demo-race&speed=10&sinks=webhook');
  await eventually(
    'some deliveries are recorded',
    async () => (await tried('GET', '/usage')).body.data.deliveryCount > 20,
  );
  await endReplay();
});

/** An account has one replay at a time. */
async function endReplay(): Promise<void> {
  const { runId } = (await tried('GET', '/simulate/runs')).body.data.runs[0];
  await tried('DELETE', `/simulate/stream?runId=${runId}`);
  await eventually('the replay has ended', async () => {
    return (await tried('GET', `/simulate/runs/${runId}`)).body.data.state === 'stopped';
  });
}

test('every example of the document works as it stands', async () => {
  const recorded: Record<string, { status: number; body: unknown }> = {};
  const kept = JSON.parse(readFileSync(RECORDED, 'utf8')) as typeof recorded;
  const listed = operationsOf(service.document).map((operation) => ({
    ...operation,
    name: `${operation.method} ${operation.path}`,
  }));
  const wrong: string[] = [];
  const rank = ({ name }: { name: string }) => LAST.indexOf(name);
  for (const { name, method, path, operation } of listed.toSorted((a, b) => rank(a) - rank(b))) {
    const given = (operation.parameters ?? []).filter(({ example }) => example !== undefined);
    const query = given.filter((parameter) => parameter.in === 'query');
    const search = new URLSearchParams(
      Object.fromEntries(query.map((parameter) => [parameter.name, String(parameter.example)])),
    );
    const address = given
      .filter((parameter) => parameter.in === 'path')
      .reduce((text, parameter) => text.replace(`{${parameter.name}}`, String(parameter.example)), path);
    const example = operation.requestBody?.content['application/json']?.example;
    if (name === 'POST /simulate/runs') await endReplay();
    const answer = await tried(method, search.size === 0 ? address : `${address}?${search}`, example);
    const expected = REFUSED[name];
    const text = `${name} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`;
    if (expected === undefined ? answer.status >= 300 : answer.status !== expected) wrong.push(text);
    if (answer.status >= 300) continue;
    if (name === 'POST /auth/login') cookie = cookieOf(answer);
    if (name === 'POST /console/regenerate-secret') own.forget();
    recorded[name] = { status: answer.status, body: shown(answer.body) };
    if (process.env.WRITE_EXAMPLES !== '1') {
      const advice = `${name}: WRITE_EXAMPLES=1 node --test test/contract/examples.test.ts records it anew`;
      assert.deepEqual(fieldsOf(kept[name]?.body), fieldsOf(recorded[name].body), advice);
    }
  }
  assert.deepEqual(wrong, []);
  if (process.env.WRITE_EXAMPLES === '1') writeFileSync(RECORDED, `${JSON.stringify(recorded, null, 2)}\n`);
});

/** The names of an answer's fields. Those within depend on what happened. */
function fieldsOf(body: unknown): string[] {
  const { data = body } = (body ?? {}) as { data?: unknown };
  return Object.keys((data ?? {}) as object).sort();
}

const SECRETS: Readonly<Record<string, string>> = {
  webhookSecret: 'whsec_...',
  clientSecret: 'cs_...',
  access_token: 'at_...',
};

/** The answer as the reference shows it: short lists, no secrets, and no port of this test. */
function shown(body: unknown): unknown {
  const text = JSON.stringify(body, (key, value) => {
    if (key in SECRETS) return SECRETS[key];
    if (key === 'webhook-signature' || /-Signature(?:-Previous)?$/.test(key)) return '...';
    return Array.isArray(value) ? value.slice(0, ITEMS_SHOWN) : value;
  });
  return JSON.parse(text.replaceAll(receiver.url, 'https://hooks.example.com/in'));
}
