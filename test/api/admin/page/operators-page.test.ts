// Who gets the operators' page and its figures, and what web pages of others cannot do in an operator's name.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { OperatorsPage } from '#api/admin/page/operators-page.ts';
import type { OperatedRun } from '#api/simulate/operator-run-store.ts';
import { FINDINGS_REUSED_MS } from '#engine/base/limits.ts';
import type { ShownFinding } from '#schemas/http/operators.ts';
import { silentLog } from '#test/support/database.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { withOperators } from '../operators.ts';

const TOKEN = 'the-token-of-the-operators';
const RUN = `run_${'7'.repeat(26)}`;
const LIVE_RUN = `run_${'8'.repeat(26)}`;
const ENDED_RUN = `run_${'9'.repeat(26)}`;
const FIGURES = ['/overview', '/history', '/warnings', '/findings'] as const;
const basic = (password: string): string => `Basic ${Buffer.from(`ops:${password}`).toString('base64')}`;

interface Got {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

interface Stage {
  readonly time: SimulatedTime;
  readonly stopped: readonly string[];
  readonly diagnoses: () => number;
  /** fetch would add headers of its own. */
  call(method: string, path: string, headers?: Record<string, string>): Promise<Got>;
}

async function stage(t: TestContext, token: string | null = TOKEN): Promise<Stage> {
  const time = new SimulatedTime();
  const stopped: string[] = [];
  let diagnoses = 0;
  const finding: ShownFinding = { check: 'disk', level: 'problem', text: 'full', next: 'Buy one.' };
  const run = (runId: string, mode: string, state: string) =>
    ({ runId, mode, state, accountId: 'acc_1', sessionId: 'demo-race' }) as OperatedRun;
  const runs = [run(RUN, 'replay', 'running'), run(LIVE_RUN, 'live', 'running'), run(ENDED_RUN, 'replay', 'completed')];
  const page = new OperatorsPage({
    overview: { now: async () => ({ version: '1' }) as never, history: () => ({ at: [] }) as never },
    warnings: {
      latest: ['first', 'second'].map((text) => ({ at: '', level: 'warning', from: 'main', text, details: '' })),
      count: 2,
    },
    runs: {
      find: async (id) => runs.find(({ runId }) => runId === id) ?? null,
      requestStop: async (id) => void stopped.push(id),
    },
    diagnose: async () => {
      diagnoses++;
      return [finding];
    },
    clock: time,
    log: silentLog,
  });
  const { port } = await withOperators(t, { token, page });
  const call: Stage['call'] = (method, path, headers = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('end', () => {
          const { statusCode, headers: told } = incoming;
          resolve({ status: statusCode!, headers: told, text: Buffer.concat(chunks).toString('latin1') });
        });
      });
      outgoing.on('error', reject).end();
    });
  return { time, stopped, diagnoses: () => diagnoses, call };
}

const signedIn = { authorization: basic(TOKEN) };

test('with a token set, every path of the page needs it, and browsers ask for it as a password', async (t) => {
  const { call, stopped, diagnoses } = await stage(t);
  for (const authorization of [
    undefined,
    '',
    'Basic',
    'Basic !',
    basic(''),
    basic(`${TOKEN}x`),
    basic(TOKEN.slice(1)),
    'Bearer x',
  ]) {
    const headers = authorization === undefined ? {} : { authorization };
    for (const path of ['/', '/console/icon.svg', '/console/files/operators-AAAAAAAA.js', ...FIGURES]) {
      const { status, headers: told, text } = await call('GET', path, headers);
      assert.deepEqual(
        [status, told['www-authenticate']?.slice(0, 12)],
        [401, 'Basic realm='],
        `${authorization} ${path}`,
      );
      assert.equal(JSON.parse(text).code, 'unauthorized');
    }
    assert.equal((await call('POST', `/runs/${RUN}/stop`, headers)).status, 401);
  }
  assert.deepEqual([stopped, diagnoses()], [[], 0]);
});

test('the token opens the page as a password, whatever the user name, and as a bearer token', async (t) => {
  const { call } = await stage(t);
  const noName = `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}`;
  for (const authorization of [basic(TOKEN), noName, `Bearer ${TOKEN}`]) {
    for (const path of ['/', ...FIGURES]) {
      assert.equal((await call('GET', path, { authorization })).status, 200, `${authorization} ${path}`);
    }
  }
});

test('the password opens nothing else: browsers attach it to requests of any page', async (t) => {
  const { call } = await stage(t);
  for (const [method, path] of [
    ['GET', '/metrics'],
    ['GET', '/v1/ingest/2026-club-race'],
    ['POST', '/v1/ingest/2026-club-race/end'],
  ] as const) {
    assert.equal((await call(method, path, signedIn)).status, 401, path);
  }
});

test('the document and its files have a strict policy; figures are never kept', async (t) => {
  const { call } = await stage(t);
  const { text, headers } = await call('GET', '/', signedIn);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers['cache-control'], 'no-cache');
  const [script] = /operators-[0-9A-Z]{8}\.js/.exec(text)!;
  const [style] = /operators-[0-9A-Z]{8}\.css/.exec(text)!;
  for (const path of ['/', `/console/files/${script}`, `/console/files/${style}`]) {
    const { headers } = await call('GET', path, { ...signedIn, 'accept-encoding': 'gzip' });
    const policy = String(headers['content-security-policy']);
    for (const rule of ["default-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      assert.ok(policy.includes(rule));
    assert.doesNotMatch(policy, /unsafe/);
    assert.deepEqual([headers['x-content-type-options'], headers['referrer-policy']], ['nosniff', 'no-referrer']);
  }
  const file = await call('GET', `/console/files/${script}`, { ...signedIn, 'accept-encoding': 'br, gzip' });
  assert.equal(file.headers['content-encoding'], 'br');
  assert.match(String(file.headers['cache-control']), /immutable/);
  assert.equal((await call('GET', '/console/files/console-AAAAAAAA.js', signedIn)).status, 404);
  for (const path of FIGURES) {
    const { headers } = await call('GET', path, signedIn);
    assert.deepEqual(
      [headers['cache-control'], headers['x-content-type-options'], headers['content-type']],
      ['no-store', 'nosniff', 'application/json'],
    );
  }
});

test('an operator stops a replay; a live run, an ended one and an unknown one are not touched', async (t) => {
  const { call, stopped } = await stage(t);
  const stop = async (runId: string): Promise<readonly [number, string]> => {
    const { status, text } = await call('POST', `/runs/${runId}/stop`, signedIn);
    const { data, code } = JSON.parse(text);
    return [status, data?.state ?? code];
  };
  assert.deepEqual(await stop(RUN), [200, 'stopping']);
  assert.deepEqual(await stop(LIVE_RUN), [409, 'live_run']);
  assert.deepEqual(await stop(ENDED_RUN), [200, 'completed']);
  assert.deepEqual(await stop(`run_${'0'.repeat(26)}`), [404, 'not_found']);
  assert.deepEqual(await stop("run_1'"), [404, 'not_found']);
  assert.equal((await call('GET', `/runs/${RUN}/stop`, signedIn)).status, 405);
  assert.deepEqual(stopped, [RUN]);
});

for (const token of [TOKEN, null]) {
  const kind = token === null ? 'without a token' : 'with a token';
  test(`${kind} a page of another site stops no run and asks for no figures; the own page does`, async (t) => {
    const { call, stopped, diagnoses } = await stage(t, token);
    const own = token === null ? {} : signedIn;
    const host = 'localhost:8090';
    for (const foreign of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
      { origin: 'https://evil.example.com' },
      { origin: 'http://localhost:3000' },
      { origin: 'null' },
    ]) {
      const { status, text } = await call('POST', `/runs/${RUN}/stop`, { ...own, host, ...foreign });
      assert.deepEqual([status, JSON.parse(text).code], [403, 'cross_site'], JSON.stringify(foreign));
      for (const path of FIGURES) {
        assert.equal((await call('GET', path, { ...own, host, ...foreign })).status, 403, path);
      }
    }
    assert.deepEqual([stopped, diagnoses()], [[], 0]);
    for (const ours of [
      { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8090' },
      { origin: 'http://localhost:8090' },
      {},
    ]) {
      const { status } = await call('POST', `/runs/${RUN}/stop`, { ...own, host, ...ours });
      assert.equal(status, 200, JSON.stringify(ours));
    }
    assert.equal(stopped.length, 3);
  });
}

test('without a token only this machine is served, by a name that no other site can have', async (t) => {
  const { call } = await stage(t, null);
  for (const path of ['/', ...FIGURES]) {
    assert.equal((await call('GET', path, { host: 'evil.example.com' })).status, 403);
    assert.equal((await call('GET', path, { host: 'localhost:9000' })).status, 200);
  }
});

test('warnings come newest first', async (t) => {
  const { call } = await stage(t);
  const { data } = JSON.parse((await call('GET', '/warnings', signedIn)).text);
  assert.deepEqual(
    data.map(({ text }: { text: string }) => text),
    ['second', 'first'],
  );
});

test('the doctor, who contacts other machines, is asked again only after a while', async (t) => {
  const { call, time, diagnoses } = await stage(t);
  const ask = async (): Promise<string> => JSON.parse((await call('GET', '/findings', signedIn)).text).data.at;
  const first = await ask();
  assert.equal(await ask(), first);
  assert.equal(diagnoses(), 1);
  time.spend(FINDINGS_REUSED_MS + 1);
  assert.notEqual(await ask(), first);
  assert.equal(diagnoses(), 2);
});

test('without a page its paths are unknown', async (t) => {
  const operators = await withOperators(t);
  for (const path of ['/', '/console/icon.svg', ...FIGURES]) {
    assert.equal((await operators.call('GET', path)).status, 404, path);
  }
  assert.equal((await operators.call('POST', `/runs/${RUN}/stop`)).status, 404);
});
