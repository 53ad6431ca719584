// A real service in the middle of a replay whose database is slow, silent, away, restarted, full of connections,
// read-only or out of space: deliveries continue, the API responds with 503 where it must, everything recovers by
// itself, and the sums are exact.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { runningPostmaster } from '#engine/storage/embedded/postmaster.ts';
import type { ProxyState } from '#test/support/database-proxy.ts';
import { ReplayBehindProxy, SESSION } from '#test/support/replay-behind-proxy.ts';
import type { Answer } from '#test/support/service-process.ts';

/** How many problems all threads together may log per second. */
const TROUBLE_LINES_MAX = 25;
const stage = new ReplayBehindProxy();
before(async () => {
  await stage.begin();
  await stage.received(20);
});
after(() => stage.end());

/** Keeps the fault up while `meanwhile` runs, then ends it. */
async function whileProxyIs(state: ProxyState, meanwhile: () => Promise<unknown>): Promise<void> {
  await stage.proxy.become(state);
  try {
    await meanwhile();
  } finally {
    await stage.proxy.become({ kind: 'well' });
  }
  await recovered();
}

async function status(path: string): Promise<number> {
  return (await fetch(`${stage.service.address}${path}`)).status;
}

/** Cuts all database connections of the service at once. */
async function breakOff(): Promise<void> {
  await stage.admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'svc'`;
}

/** The service recovers by itself: it reports ready, and new deliveries are recorded. */
async function recovered(): Promise<void> {
  while ((await status('/readyz')) !== 200) await pause(50);
  const { logged } = await stage.recorded();
  while ((await stage.recorded()).logged <= logged) await pause(50);
}

/** Without the database deliveries continue, requests that need it get 503 with Retry-After, and others succeed. */
async function withoutDatabase(): Promise<void> {
  const linesBefore = stage.service.output().split('\n').length;
  const sinceMs = performance.now();
  await stage.received(40);
  while ((await status('/readyz')) !== 503) await pause(50);
  assert.equal(await status('/healthz'), 200);
  assert.equal((await stage.api.call('GET', '/feeds')).status, 200, 'a cached token, and no need for the database');
  const lines = stage.service.output().split('\n').length - linesBefore;
  const seconds = 1 + (performance.now() - sinceMs) / 1_000;
  assert.ok(lines / seconds < TROUBLE_LINES_MAX, `${lines} lines in ${seconds.toFixed(1)} s`);
}

/** Requests every route of the published document, with as much input as can be guessed. */
async function askEverything(): Promise<{ path: string; status: number; retryAfter: string | null }[]> {
  const { body } = await stage.api.call('GET', '/openapi.json');
  const asked = Object.entries(body.paths as Record<string, Record<string, unknown>>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  );
  return Promise.all(
    asked.map(async ({ path, method }) => {
      const filled = path
        .replace(/\{webhookId\}/, stage.webhookId)
        .replace(/\{runId\}/, stage.runId)
        .replace(/\{feedId\}/, 'session.status')
        .replace(/\{\w+\}/, SESSION);
      const query = /stream$|status$/.test(path) ? `?session=${SESSION}` : '';
      const answer = await fetch(`${stage.service.address}/v1${filled}${query}`, {
        method,
        headers: { authorization: `Bearer ${stage.api.token}`, 'content-type': 'application/json' },
        ...(method === 'GET' ? {} : { body: method === 'DELETE' ? null : JSON.stringify(BODIES[path] ?? {}) }),
      });
      await answer.arrayBuffer();
      return { path: `${method} ${path}`, status: answer.status, retryAfter: answer.headers.get('retry-after') };
    }),
  );
}

const NEED_DATABASE = [
  'GET /usage',
  'GET /simulate/runs',
  'POST /webhooks',
  'PATCH /webhooks/{webhookId}',
  'GET /webhooks/{webhookId}/logs',
  'POST /webhooks/{webhookId}/test',
  'POST /auth/login',
];
const BODIES: Readonly<Record<string, unknown>> = {
  '/webhooks': { webhookUrl: 'http://localhost:9/never', feedIds: ['*'] },
  '/webhooks/{webhookId}': { active: true },
  '/webhooks/{webhookId}/feeds/{feedId}': { active: true },
  '/simulate/prepare': { sessionId: SESSION },
  '/auth/login': { email: 'a@example.org', password: 'not the password' },
  '/auth/signup': { email: 'b@example.org', password: 'a long password', name: 'B' },
  '/auth/resend-verification': { email: 'b@example.org' },
  '/oauth': { client_id: 'cli_1', client_secret: 'none', grant_type: 'client_credentials' },
};

test('slow, a third of a second for every response: no request is refused, and deliveries continue', async () => {
  await whileProxyIs({ kind: 'slow', delayMs: 300 }, async () => {
    await stage.received(40);
    assert.equal(await status('/readyz'), 200);
    assert.equal((await stage.api.call('GET', '/usage')).status, 200);
  });
});

test('silent: deliveries continue, readiness reports it, and requests succeed once the database responds', async () => {
  let asked: Promise<Answer> | undefined;
  await whileProxyIs({ kind: 'silent' }, async () => {
    asked = stage.api.call('GET', '/usage');
    await withoutDatabase();
  });
  assert.equal((await asked)?.status, 200);
});

test('away for a while: every route responds, with 503 and Retry-After where it needs the database, and never with 500', async () => {
  await whileProxyIs({ kind: 'away' }, async () => {
    await withoutDatabase();
    const answers = await askEverything();
    assert.ok(answers.length > 30);
    for (const { path, status, retryAfter } of answers) {
      assert.ok(status !== 500, `${path} answers ${status}`);
      assert.ok(status !== 503 || retryAfter !== null, `${path} says when to come again`);
    }
    const refused = new Set(answers.filter(({ status }) => status === 503).map(({ path }) => path));
    for (const path of NEED_DATABASE) assert.ok(refused.has(path), `${path} needs the database`);
  });
});

test('killed and started again: attempts that were not recorded yet are recorded once', async () => {
  const { pid } = (await runningPostmaster(`${stage.serverDir}/postgres/data`))!;
  process.kill(pid, 'SIGKILL');
  await stage.received(20);
  await recovered();
});

test('no connection free, no write allowed, no login allowed: 503 and not 500, and full recovery afterwards', async () => {
  for (const [worse, better] of [
    ['alter role svc connection limit 0', 'alter role svc connection limit -1'],
    ['alter role svc set default_transaction_read_only = on', 'alter role svc reset default_transaction_read_only'],
    ['alter role svc nologin', 'alter role svc login'],
  ] as const) {
    await stage.admin.unsafe(worse);
    await breakOff();
    await stage.received(20);
    const answer = await stage.api.call('POST', '/webhooks', {
      webhookUrl: 'http://localhost:9/never',
      feedIds: ['*'],
    });
    assert.equal(answer.status, 503, `${worse}: ${JSON.stringify(answer.body)}`);
    await stage.admin.unsafe(better);
    await recovered();
  }
});

test('I1, I10: after all of it every delivery was made once, is in the log once and counted once', async () => {
  await stage.api.call('DELETE', `/simulate/stream?runId=${stage.runId}`);
  const { data } = await stage.api.until(`/simulate/runs/${stage.runId}`, ({ data }) => data.state === 'stopped');
  const { matched, delivered, failed, skipped } = data.endpoints[0];
  assert.equal(
    matched,
    delivered + failed + Object.values<number>(skipped).reduce((sum, count) => sum + count, 0),
    'I1',
  );
  assert.deepEqual(await stage.recorded(), {
    logged: stage.receiver.received.length,
    used: stage.receiver.received.length,
  });
  assert.equal(new Set(stage.receiver.received.map(({ sequence }) => sequence)).size, stage.receiver.received.length);
  assert.equal(stage.service.process.exitCode, null, 'the process has survived it');
  assert.doesNotMatch(stage.service.output(), /unhandled|uncaught|died; restarting/i);
});
