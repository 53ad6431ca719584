// The listener for operators, while other threads of the real service hang or die, and when its own thread dies.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDataDir } from '#test/support/database.ts';
import { eventually } from '#test/support/patience.ts';
import { PrometheusText } from '#test/support/prometheus-text.ts';
import { type ServiceProcess, startService } from '#test/support/service-process.ts';
import { FAULTS, HANG_MS } from '#test/support/thread-faults.ts';

const START_MS = Date.parse('2026-05-03T14:00:00Z');
/** A working thread is never silent for so long. */
const SILENT_S = 1.7;
let service: ServiceProcess;

before(async () => {
  service = await startService(temporaryDataDir('service'), {
    ADMIN_PORT: '0',
    SHARDS: '1',
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${import.meta.resolve('../support/faulty-threads.ts')}`,
  });
});
after(() => service.end('SIGTERM'));

function lines(from: number, to: number): string {
  let text = '';
  for (let sequence = from; sequence <= to; sequence++) {
    const utc = new Date(START_MS + sequence * 1_000).toISOString();
    text += `${JSON.stringify({ topic: 'Heartbeat', utc, data: { Utc: utc }, sequence })}\n`;
  }
  return text;
}

async function feed(sessionId: string, body: string) {
  const response = await fetch(`${service.operators}/v1/ingest/${sessionId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  });
  return [response.status, ((await response.json()) as { data?: { lastSequence: number } }).data?.lastSequence];
}

/** Returns null if there is no response. */
async function lastSequence(sessionId: string): Promise<number | null> {
  try {
    const response = await fetch(`${service.operators}/v1/ingest/${sessionId}`);
    const { data } = (await response.json()) as { data?: { lastSequence: number } };
    return data?.lastSequence ?? null;
  } catch {
    return null;
  }
}

/** Reads the metrics. That must always succeed within a second. */
async function readMetrics(): Promise<PrometheusText> {
  const response = await fetch(`${service.operators}/metrics`, { signal: AbortSignal.timeout(1_000) });
  return new PrometheusText(await response.text());
}

const silentS = (metrics: PrometheusText, thread: string): number =>
  metrics.sum('slipstream_thread_silent_seconds', { thread });

/** Returns the metrics as soon as they show that this thread hangs and the others do not. */
function showsHanging(thread: string): Promise<PrometheusText> {
  return eventually(`the metrics show that ${thread} hangs`, async () => {
    const metrics = await readMetrics();
    const silent = metrics
      .labels('slipstream_thread_silent_seconds', 'thread')
      .filter((name) => silentS(metrics, name) > SILENT_S);
    return silent.length === 1 && silent[0] === thread ? metrics : null;
  });
}

test('while the live thread hangs, the metrics respond within a second and show it; frames sent meanwhile are accepted later', async () => {
  const id = '2026-hanging-race';
  assert.deepEqual(await feed(id, lines(1, 3)), [200, 3]);
  service.process.kill(FAULTS.liveHangs);
  const hanging = await showsHanging('live');
  assert.equal(hanging.sum('slipstream_live_frames', { session: id }), 3);
  assert.equal(hanging.sum('slipstream_thread_starts_total', { thread: 'live' }), 1);
  let answered = false;
  const fed = feed(id, lines(4, 5)).finally(() => {
    answered = true;
  });
  assert.ok(silentS(await readMetrics(), 'live') > SILENT_S, 'it still hangs');
  assert.equal(answered, false, 'ingest waits for the live thread, the metrics do not');
  assert.deepEqual(await fed, [200, 5]);
  assert.equal((await readMetrics()).sum('slipstream_live_frames', { session: id }), 5);
});

test('while the main thread hangs, the metrics respond and show it, and an operator can still feed a session', async () => {
  const id = '2026-main-hangs';
  assert.deepEqual(await feed(id, lines(1, 2)), [200, 2]);
  service.process.kill(FAULTS.mainHangs);
  await showsHanging('main');
  assert.deepEqual(await feed(id, lines(3, 4)), [200, 4]);
  assert.ok(silentS(await readMetrics(), 'main') > SILENT_S, 'it still hung');
  await eventually('the main thread works again', async () => silentS(await readMetrics(), 'main') < SILENT_S);
});

test('when the live thread dies during a request, that request gets 503, and the session resumes at the same port', async () => {
  const id = '2026-dying-race';
  const answer = new Promise<string>((resolve) => {
    const { port } = new URL(service.operators);
    const headers = { 'content-type': 'application/x-ndjson' };
    const sender = request({ host: '127.0.0.1', port, method: 'POST', path: `/v1/ingest/${id}`, headers });
    sender.on('error', (error) => resolve(error.message));
    sender.on('response', async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve(`${response.statusCode} ${JSON.parse(text).code}`);
      sender.destroy();
    });
    sender.write(lines(1, 3));
  });
  await eventually('three lines are accepted', async () => (await lastSequence(id)) === 3);
  service.process.kill(FAULTS.liveDies);
  const restarted = eventually('the live thread is restarted', async () => {
    const metrics = await readMetrics();
    assert.equal(metrics.sum('slipstream_live_frames', { session: id }), 3, 'even without a live thread');
    return metrics.sum('slipstream_thread_starts_total', { thread: 'live' }) === 2;
  });
  assert.equal(await answer, '503 unavailable');
  await restarted;
  await eventually('it responds to operators', async () => (await lastSequence(id)) === 3);
  assert.deepEqual(await feed(id, lines(4, 4)), [200, 4]);
});

test('when the operators thread dies, it is restarted at the same port and knows the live sessions', async () => {
  const id = '2026-last-race';
  assert.deepEqual(await feed(id, lines(1, 2)), [200, 2]);
  service.process.kill(FAULTS.operatorsDie);
  // While it is down, nobody answers. Readiness is looked at four times a second, and may miss a quick restart.
  await eventually('it is restarted', async () => {
    const metrics = await readMetrics().catch(() => null);
    return metrics?.sum('slipstream_thread_starts_total', { thread: 'operators' }) === 2;
  });
  assert.match(service.output(), /the operators' thread died; restarting it/);
  await eventually('it responds to operators again', async () => (await lastSequence(id)) === 2);
  assert.equal((await readMetrics()).sum('slipstream_live_frames', { session: id }), 2);
  assert.deepEqual(await feed(id, lines(3, 3)), [200, 3]);
  // Readiness is looked at a few times a second.
  await eventually('it is ready', async () => (await fetch(`${service.address}/readyz`)).status === 200);
});

test('on SIGTERM while an operator sends and the live thread hangs, the request is cut off and the service ends cleanly', async () => {
  const id = '2026-cut-race';
  assert.deepEqual(await feed(id, lines(1, 2)), [200, 2]);
  service.process.kill(FAULTS.liveHangs);
  await pause(100);
  const fed = feed(id, lines(3, 4)).then(
    () => 'answered',
    () => 'cut off',
  );
  await pause(100);
  const startedMs = performance.now();
  assert.equal(await service.end('SIGTERM'), 0);
  assert.equal(await fed, 'cut off');
  assert.ok(performance.now() - startedMs > HANG_MS / 2, 'the service waited for the live thread');
});
