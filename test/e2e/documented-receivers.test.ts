// A whole replay to the receivers of docs/receiving.md in every language that is installed, through a network that loses
// deliveries, and answers to them.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { BRIEF_SESSION, importBriefSession } from '#test/support/brief-session.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import {
  type DocumentedReceiver,
  missing,
  RECEIVER_LANGUAGES,
  startReceiver,
} from '#test/support/documented-receivers.ts';
import { eventually } from '#test/support/patience.ts';
import { ApiClient, runAdminCommand, startService } from '#test/support/service-process.ts';

/** Of so many deliveries one is lost, and of one the answer. */
const LOST_EVERY = 7;
/** The race takes two seconds, and retries longer. Slow machines take longer. */
const RUN_MS_MAX = 90_000;

interface LossyNetwork {
  readonly url: string;
  /** Leads deliveries to this port from now on. */
  to(port: number): void;
  /** Sequences in the order in which the receiver acknowledged them, with repetitions. */
  readonly acknowledged: readonly number[];
}

for (const language of RECEIVER_LANGUAGES) {
  const why = missing(language);
  if (why !== false) test(`a race to the receiver in ${language.language}`, { skip: why });
}

test('each receiver of the document has every update of a race once, in order, when deliveries are lost and repeated', async (t) => {
  const installed = RECEIVER_LANGUAGES.filter((language) => missing(language) === false);
  const dataDir = temporaryDataDir('service');
  await importBriefSession(dataDir);
  const service = await startService(dataDir);
  t.after(() => service.end('SIGTERM'));
  const account = await runAdminCommand(dataDir, ['account', 'create', '--email', 'a@example.org', '--plan', 'custom']);
  const api = await ApiClient.open(service.address, account);
  const parts = await Promise.all(
    installed.map(async (language) => {
      const network = await lossyNetwork(t);
      const { status, body } = await api.call('POST', '/webhooks', { webhookUrl: network.url, feedIds: ['*'] });
      assert.equal(status, 201, JSON.stringify(body));
      const receiver = await startReceiver(t, language, body.data.webhookSecret);
      network.to(receiver.port);
      return { language: language.language, webhookId: body.data.webhookId as string, network, receiver };
    }),
  );
  await api.call('POST', '/simulate/prepare', { sessionId: BRIEF_SESSION });
  const prepared = await api.until(`/simulate/status?session=${BRIEF_SESSION}`, ({ data }) => data.status === 'ready');
  const matched: number = prepared.data.updateCount;
  const started = await api.call('GET', `/simulate/stream?session=${BRIEF_SESSION}&speed=10&sinks=webhook`);
  const runId: string = started.body.data.runId;
  const ended = async () => {
    const { body } = await api.call('GET', `/simulate/runs/${runId}`);
    return body.data.state === 'completed' && body.data.endpoints;
  };
  const endpoints = await eventually('the run ends', ended, RUN_MS_MAX, 100);

  const everySequence = Array.from({ length: matched }, (_, index) => index + 1);
  for (const { language, webhookId, network, receiver } of parts) {
    const counts = endpoints.find((one: { webhookId: string }) => one.webhookId === webhookId);
    assert.deepEqual([counts.matched, counts.delivered, counts.failed], [matched, matched, 0], language);
    assert.deepEqual(sequencesKept(receiver, runId), everySequence, `${language}: once, in order`);
    const inOrder = network.acknowledged.toSorted((a, b) => a - b);
    assert.notDeepEqual(network.acknowledged, inOrder, `${language}: they did not come in order`);
    const repeated = network.acknowledged.length - matched;
    assert.ok(repeated > matched / (2 * LOST_EVERY), `${language}: ${repeated} came again`);
    const told = () => receiver.printed().filter((line) => line.startsWith('repeated evt_')).length;
    await eventually(`${language} recognises ${repeated} repetitions`, () => told() === repeated);
  }
});

/**
 * Stands between the service and a receiver. Of the first attempts it answers some without the receiver, with 500, and some
 * after the receiver has acknowledged them.
 */
async function lossyNetwork(t: TestContext): Promise<LossyNetwork> {
  const acknowledged: number[] = [];
  let target = 0;
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const turn = request.headers['x-service-attempt'] === '1' ? count++ % LOST_EVERY : LOST_EVERY;
    if (turn === 0) return response.writeHead(500).end();
    const status = await passedOn(request, body, target);
    if (status === 204) acknowledged.push((JSON.parse(body.toString()) as { sequence: number }).sequence);
    response.writeHead(turn === 1 ? 500 : status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/hook`,
    to(port) {
      target = port;
    },
    acknowledged,
  };
}

function passedOn({ method, headers }: IncomingMessage, body: Buffer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = forward({ host: 'localhost', port, method: method!, path: '/hook', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!));
    });
    request.once('error', reject).end(body);
  });
}

/** Returns the sequences of the updates that the receiver has of the run, in the order of its files. */
function sequencesKept({ folder }: DocumentedReceiver, runId: string): number[] {
  const kept = join(folder, 'received', runId);
  return readdirSync(kept)
    .sort()
    .map((name) => (JSON.parse(readFileSync(join(kept, name), 'utf8')) as { sequence: number }).sequence);
}
