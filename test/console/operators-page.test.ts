// The operators' page over a real service, in a real Chromium: what it shows, and that a run is stopped by keyboard.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type StartedChromium, startChromium } from '#bench/browser/chromium.ts';
import type { OperatorsFindings, OperatorsOverview, ShownWarning } from '#schemas/http/operators.ts';
import { NDJSON } from '#test/api/admin/operators.ts';
import { until } from '#test/support/api-harness.ts';
import { type ContractClient, type ContractService, contractService } from '#test/support/contract-service.ts';
import { overflowOf, violationsOf } from './support/every-page.ts';

const TOKEN = 'the-token-of-the-operators';
const SIGNED_IN = { authorization: `Bearer ${TOKEN}` };
const SOURCE = '2026-club-race';

const ends: (() => unknown)[] = [];
const scope = { after: (end: () => unknown) => ends.unshift(end) };
let service: ContractService;
let chromium: StartedChromium;

before(async () => {
  service = await contractService(scope, { ADMIN_PORT: '0', ADMIN_TOKEN: TOKEN, SHARDS: '2' });
  chromium = await startChromium({ emulatesCard: false });
  scope.after(chromium.close);
});
after(async () => {
  for (const end of ends) await end();
});

const address = (path: string): string => `${service.process.operators}${path}`;

async function read<Value>(path: string): Promise<Value> {
  const response = await fetch(address(path), { headers: SIGNED_IN });
  assert.equal(response.status, 200, path);
  return ((await response.json()) as { data: Value }).data;
}

/** Starts a slow replay of a new account. */
async function startRun(): Promise<{ readonly runId: string; readonly owner: ContractClient }> {
  const owner = await service.client('custom');
  await owner.webhook({ webhookUrl: 'http://localhost:9/', feedId: 'timing.data' });
  await owner.call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  await until(async () => (await owner.call('GET', '/simulate/status?session=demo-race')).body.data.status === 'ready');
  const { body } = await owner.call('GET', '/simulate/stream?session=demo-race&speed=0.1&sinks=webhook');
  return { runId: body.data.runId, owner };
}

async function open(width: number, colorScheme: 'dark' | 'light'): Promise<{ page: Page; faults: string[] }> {
  const context = await chromium.browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    httpCredentials: { username: 'ops', password: TOKEN },
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(service.process.operators)) faults.push(`asks ${request.url()}`);
  });
  await page.goto(address('/'));
  await page.getByRole('heading', { name: 'Now' }).waitFor();
  return { page, faults };
}

/** The name of the element that has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
}

test('the overview has every thread and shard, live sources, the database and runs of all accounts', async () => {
  const line = JSON.stringify({ topic: 'Heartbeat', utc: '2026-05-03T14:00:00Z', data: {}, sequence: 1 });
  const fed = await fetch(address(`/v1/ingest/${SOURCE}`), {
    method: 'POST',
    headers: { ...SIGNED_IN, ...NDJSON },
    body: `${line}\n`,
  });
  assert.equal(fed.status, 200);
  const { runId, owner } = await startRun();
  const now = await read<OperatorsOverview>('/overview');
  assert.deepEqual(
    now.threads.map(({ name, silentMs, starts }) => [name, silentMs! < 5_000, starts]),
    ['main', 'live', 'shard-0', 'shard-1', 'operators'].map((name) => [name, true, 1]),
  );
  assert.deepEqual(
    now.shards.map(({ shard }) => shard),
    [0, 1],
  );
  assert.deepEqual(
    now.live.sessions.map(({ sessionId, frames, silentMs }) => [sessionId, frames, silentMs < 30_000]),
    [[SOURCE, 1, true]],
  );
  assert.equal(now.live.connected, null);
  assert.ok(now.database!.connections > 0);
  const run = now.runs!.find((one) => one.runId === runId)!;
  assert.deepEqual([run.email, run.mode, run.state, run.endpoints], [owner.email, 'replay', 'running', 1]);
  await until(async () => (await read<OperatorsOverview>('/overview')).shards.some(({ actors }) => actors > 0));
});

test('warnings of the log appear, those before the operators had a thread too', async () => {
  const warnings = await read<readonly ShownWarning[]>('/warnings');
  const logged = service.process
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && JSON.parse(line).level >= 40)
    .map((line) => JSON.parse(line).msg);
  assert.ok(logged.length > 0, 'a first start logs that it made a key');
  assert.deepEqual(warnings.map(({ text }) => text).reverse(), logged);
  assert.equal((await read<OperatorsOverview>('/overview')).warnings, logged.length);
});

test('the doctor reports on the running service, and its database keeps running', async () => {
  const { findings } = await read<OperatorsFindings>('/findings');
  const texts = findings.map(({ check, level, text }) => `${level} ${check}: ${text}`);
  assert.ok(
    texts.some((text) => /^ok database: PostgreSQL 1\d/.test(text)),
    texts.join('\n'),
  );
  assert.ok(
    texts.some((text) => /^ok key: the key opens the secrets/.test(text)),
    texts.join('\n'),
  );
  assert.ok(
    texts.some((text) => /the service is running/.test(text)),
    texts.join('\n'),
  );
  assert.equal((await fetch(`${service.process.address}/readyz`)).status, 200);
});

test('the page shows all of it, is accessible, fits, and reports no error, in both themes', async () => {
  const { runId } = await startRun();
  for (const [width, theme] of [
    [360, 'dark'],
    [1_280, 'light'],
    [2_560, 'dark'],
  ] as const) {
    const { page, faults } = await open(width, theme);
    for (const name of ['Now', 'The last hour', 'Runs in progress', 'Shards', 'Threads', 'Live sources']) {
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    await page.getByRole('row', { name: new RegExp(runId) }).waitFor();
    await page.getByRole('row', { name: /^shard-1 / }).waitFor();
    await page.getByRole('row', { name: new RegExp(`^${SOURCE} 1 `) }).waitFor();
    await page.getByText('SECRET_KEY is not set').waitFor();
    await page.getByText('Show them').click();
    await page.getByText('the key opens the secrets').waitFor();
    assert.deepEqual(await violationsOf(page), [], `${width} ${theme}`);
    assert.ok((await overflowOf(page)) <= 0, `wider than ${width}`);
    assert.deepEqual(faults, []);
    await page.context().close();
  }
});

test('a run is stopped by keyboard, with a question before; the page shows its end by itself', async () => {
  const { runId, owner } = await startRun();
  const { page, faults } = await open(1_280, 'dark');
  const stop = page.getByRole('button', { name: `Stop ${runId}` });
  await stop.waitFor();
  await stop.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Stop this run?' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.equal(await focused(page), `Stop ${runId}`);
  assert.equal((await read<OperatorsOverview>('/overview')).runs!.find((run) => run.runId === runId)!.state, 'running');

  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop the run' }).waitFor();
  for (let tabs = 0; tabs < 5 && (await focused(page)) !== 'Stop the run'; tabs++) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText(`${runId} is being stopped.`).waitFor();
  await stop.waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'Runs in progress');
  assert.equal((await owner.call('GET', `/simulate/runs/${runId}`)).body.data.state, 'stopped');
  assert.deepEqual(faults, []);
});

test('a page of another site cannot stop a run, although the browser would send the password', async () => {
  const { runId } = await startRun();
  const { page } = await open(1_280, 'dark');
  await page.goto(`${service.baseUrl.replace('127.0.0.1', 'localhost').replace(/\/v1$/, '')}/docs`);
  await page.evaluate(
    `fetch(${JSON.stringify(address(`/runs/${runId}/stop`))}, { method: 'POST', mode: 'no-cors', credentials: 'include' }).catch(() => {})`,
  );
  const run = (await read<OperatorsOverview>('/overview')).runs!.find((one) => one.runId === runId)!;
  assert.equal(run.state, 'running');
});

test('the page keeps what it showed when the service no longer answers, and says so', async () => {
  const { page } = await open(1_280, 'light');
  await page.route('**/overview', (route) => route.abort());
  await page.getByText('The service does not answer: what you see is from before.').waitFor();
  await page.getByRole('row', { name: /^shard-1 / }).waitFor();
  await page.unroute('**/overview');
  await page.getByText('The service does not answer').waitFor({ state: 'detached' });

  await page.route('**/history', (route) => route.abort());
  const readAgain = "document.dispatchEvent(new Event('visibilitychange'))";
  await page.evaluate(readAgain);
  const old = page.getByText('The plots could not be read again and may be old.');
  await old.waitFor();
  await page.unroute('**/history');
  await page.evaluate(readAgain);
  await old.waitFor({ state: 'detached' });
});

test('the page says when findings or newer warnings cannot be read, and can read them again', async () => {
  const { page } = await open(1_280, 'light');
  await page.getByText('the key opens the secrets').waitFor({ state: 'attached' });
  await page.route('**/findings', (route) => route.abort());
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('The service does not answer. Is it running').waitFor();
  await page.unroute('**/findings');
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('the key opens the secrets').waitFor({ state: 'attached' });

  await page.route('**/warnings', (route) => route.abort());
  await page.route('**/overview', async (route) => {
    const response = await route.fetch();
    const { data } = await response.json();
    await route.fulfill({ response, json: { data: { ...data, warnings: data.warnings + 1 } } });
  });
  await page.getByText('There are newer warnings, which could not be read.').waitFor();
  await page.unroute('**/warnings');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('There are newer warnings').waitFor({ state: 'detached' });
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

test('CONSOLE=off serves nothing of it', async (t) => {
  const other = await contractService(t, { ADMIN_PORT: '0', CONSOLE: 'off' });
  for (const path of ['/', '/overview', '/history', '/warnings', '/findings', '/console/icon.svg']) {
    assert.equal((await fetch(`${other.process.operators}${path}`)).status, 404, path);
  }
  assert.equal((await fetch(`${other.process.operators}/metrics`)).status, 200);
});
