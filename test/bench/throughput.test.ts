import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { syntheticArtifact } from '#bench/engines/synthetic-timeline.ts';
import { run, smoke } from '#bench/load/throughput.ts';
import { type Contestant, playRound, senderContestant } from '#bench/load/throughput-round.ts';
import { startRedis } from '#bench/peers/redis-server.ts';
import { startSocketLoop } from '#bench/peers/socket-loop.ts';
import { startUndiciLoop } from '#bench/peers/undici-loop.ts';
import { TRUSTING_IT } from '#bench/receivers/localhost-certificate.ts';
import { startReceiver } from '#bench/receivers/receiver-process.ts';
import type { BenchResult } from '#bench/suite/result.ts';
import { runSeparately } from '#bench/suite/separate-bench.ts';

const NO_FAULTS = { lost: 0, doubled: 0, misordered: 0, wronglySigned: 0, unrecorded: 0 };

function assertMeasured(result: BenchResult, names: readonly string[]): void {
  const measured = new Map(result.measurements.map(({ name, samples }) => [name, samples]));
  for (const name of names) {
    const samples = measured.get(name);
    assert.ok(samples !== undefined && samples.length === result.parameters.rounds, `${name} in every round`);
    assert.ok(
      samples.every((sample) => Number.isFinite(sample) && sample > 0),
      `${name}: ${samples}`,
    );
  }
}

test('every contestant delivers each update exactly once and correctly signed', async () => {
  const lines: string[] = [];
  const result = await run(smoke, (line) => lines.push(line));
  assert.deepEqual(result.faults, NO_FAULTS);
  const names = ['engine', 'undici loop', 'raw socket loop', 'graphile-worker'];
  // Without redis-server, the bench skips BullMQ and says so.
  if (!result.notes.some((note) => note.startsWith('BullMQ was skipped'))) names.push('BullMQ');
  assertMeasured(result, names);
  assertMeasured(
    result,
    names.map((name) => `${name}, CPU each`),
  );
  assertMeasured(
    result,
    names.slice(1).map((name) => `engine / ${name}`),
  );
  assert.match(lines.at(-1)!, /^round 1 of 1: engine \d+\/s/);
  assert.deepEqual(
    [result.parameters.shards, result.measurements.filter(({ target }) => target !== undefined)],
    [2, []],
  );
});

test('over https, engine and undici loop deliver each update exactly once and correctly signed', async () => {
  const args = ['--https', '--deliveries', '600', '--endpoints', '5', '--rounds', '1'];
  const { signal } = new AbortController();
  const result = await runSeparately('throughput', args, () => {}, signal, TRUSTING_IT);
  assert.deepEqual(result.faults, NO_FAULTS);
  assert.equal(result.parameters.https, 'yes');
  assert.deepEqual(
    result.measurements.map(({ name, target }) => [name, target]),
    [
      ['engine / undici loop', 1],
      ['engine', undefined],
      ['engine, CPU each', undefined],
      ['undici loop', undefined],
      ['undici loop, CPU each', undefined],
      ['engine, connections for each endpoint', undefined],
    ],
  );
  assertMeasured(result, ['engine', 'undici loop', 'engine, connections for each endpoint']);
});

test('the sweep measures every point of the curves and draws them', async () => {
  const args = ['--against', 'undici', '--deliveries', '600', '--endpoints', '5', '--rounds', '1', '--sweep'];
  const result = await run(args, () => {});
  assert.deepEqual(result.faults, NO_FAULTS);
  assertMeasured(result, [
    'flatness, 10 to 1000 endpoints',
    'flatness of raw sockets, one each, 10 to 1000 endpoints',
    'raw sockets, one each, at 1000 endpoints, 1 shard, 450 B',
    'engine at 1 endpoint, 1 shard, 450 B',
    'engine at 1000 endpoints, 1 shard, 450 B',
    'engine at 50 endpoints, 4 shards, 450 B',
    'engine / undici loop at 50 endpoints, 1 shard, 16384 B',
  ]);
  const curves = result.plots.map(({ series }) => series.map(({ name, x, y }) => `${name} ${x.length} ${y.length}`));
  assert.deepEqual(curves.slice(1), [
    ['engine 4 4', 'undici loop 4 4', 'raw sockets, one for each endpoint 4 4'],
    ['engine 3 3', 'undici loop 3 3'],
    ['engine 4 4', 'undici loop 4 4'],
  ]);
});

test('counts deliveries that a faulty sender loses, doubles, signs wrongly, misorders or does not record (I5, I6, I10)', async () => {
  const secret = 'whsec_bench';
  const updates = 300;
  const receiver = await startReceiver();
  const faulty: Contestant = {
    name: 'faulty',
    keepsOrder: true,
    async send({ origin }) {
      const post = async (sequence: number, key = secret): Promise<void> => {
        const body = JSON.stringify({ sequence });
        const signature = createHmac('sha256', key).update(body).digest('hex');
        const headers = { 'x-service-signature': `sha256=${signature}` };
        await (await fetch(`${origin}/0`, { method: 'POST', headers, body })).arrayBuffer();
      };
      for (const sequence of [300, 1, 2, 2]) await post(sequence);
      await post(299, 'whsec_other');
      return { seconds: 1, cpuUs: 1, unrecorded: 7 };
    },
  };
  try {
    const load = { origin: receiver.origin, secrets: [secret], artifact: await syntheticArtifact(updates, 1, 200) };
    const { faults } = await playRound(faulty, load, receiver);
    assert.deepEqual(faults, { lost: 296, doubled: 1, misordered: 3, wronglySigned: 1, unrecorded: 7 });
  } finally {
    await receiver.end();
  }
});

test('the loops count responses that arrive in pieces, and fail on one that is not 200', async (t) => {
  let requests = 0;
  const inPieces = await serve(t, (request, response) => {
    requests++;
    request.resume().on('end', () => {
      response.setHeader('content-length', 4);
      response.write('ab');
      setImmediate(() => response.end('cd'));
    });
  });
  const refusing = await serve(t, (request, response) => {
    request.resume().on('end', () => response.writeHead(503).end());
  });
  const artifact = await syntheticArtifact(40, 1, 450);
  for (const start of [() => startSocketLoop(2, 8), () => startUndiciLoop(4)]) {
    requests = 0;
    const sender = await start();
    await senderContestant('loop', sender).send({ origin: inPieces, secrets: ['whsec_a', 'whsec_b'], artifact });
    assert.equal(requests, 80);
    await sender.end();
    const refused = await start();
    await assert.rejects(refused.send({ origin: refusing, secrets: ['whsec_a'], artifact }), /answered.* 503/);
    await refused.end();
  }
});

test('the undici loop signs every body in both of the ways of the engine (I6)', async (t) => {
  const requests: { headers: IncomingHttpHeaders; body: string }[] = [];
  const origin = await serve(t, async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) });
    response.end();
  });
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const sender = await startUndiciLoop(2);
  await sender.send({ origin, secrets: [secret], artifact: await syntheticArtifact(20, 1, 450) });
  await sender.end();
  assert.equal(new Set(requests.map(({ headers }) => headers['webhook-id'])).size, 20);
  for (const { headers, body } of requests) {
    const hex = createHmac('sha256', secret).update(body).digest('hex');
    assert.equal(headers['x-service-signature'], `sha256=${hex}`);
    new Webhook(secret).verify(body, headers as Record<string, string>);
  }
});

test('the undici loop sends nothing to a receiver whose certificate is not from the trusted authority', async (t) => {
  const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));
  const artifact = await syntheticArtifact(2, 1, 450);
  for (const [certificate, refused] of [
    ['localhost', null],
    ['unknown', /unable to verify/],
    ['elsewhere', /does not match certificate/],
  ] as const) {
    let requests = 0;
    const server = createSecureServer({ key: fixture('key'), cert: fixture(certificate) }, (request, response) => {
      requests++;
      request.resume().on('end', () => response.end());
    });
    const origin = (await listen(t, server)).replace('http://127.0.0.1', 'https://localhost');
    const sender = await startUndiciLoop(2);
    const sent = sender.send({ origin, secrets: ['whsec_a'], artifact });
    if (refused === null) await sent;
    else await assert.rejects(sent, refused);
    assert.equal(requests, refused === null ? 2 : 0, certificate);
    await sender.end();
  }
});

test('the socket loop survives a receiver that closes idle connections between two loads', async (t) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  const origin = await listen(t, server);
  const artifact = await syntheticArtifact(20, 1, 450);
  const sender = await startSocketLoop(2, 8);
  for (const secret of ['whsec_a', 'whsec_b']) {
    await sender.send({ origin, secrets: [secret], artifact });
    server.closeAllConnections();
  }
  await sender.end();
});

test('a missing redis-server is no error', async (t) => {
  const { PATH } = process.env;
  t.after(() => {
    process.env.PATH = PATH;
  });
  process.env.PATH = '/nowhere';
  assert.equal(await startRedis(), null);
});

test('an invalid argument is rejected with the name of its option', async () => {
  await assert.rejects(
    run(['--against', 'undici,sidekiq'], () => {}),
    /^Error: --against: "sidekiq" is none of undici, socket/,
  );
  await assert.rejects(
    run(['--rounds', '0'], () => {}),
    /^Error: --rounds: /,
  );
  await assert.rejects(
    run(['--https', '--against', 'undici,socket'], () => {}),
    /^Error: --against: "socket" has no TLS; with --https only undici$/,
  );
  await assert.rejects(
    run(['--https', '--sweep'], () => {}),
    /^Error: --sweep: /,
  );
});

test('over https, the bench refuses to run in a process that does not trust its receiver', async () => {
  await assert.rejects(
    run(['--https'], () => {}),
    /does not trust the receiver/,
  );
});

function serve(t: TestContext, listener: RequestListener): Promise<string> {
  return listen(t, createServer(listener));
}

async function listen(t: TestContext, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
