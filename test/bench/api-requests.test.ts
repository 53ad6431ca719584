import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { run, smoke } from '#bench/load/api-requests.ts';
import { pace, saturate } from '#bench/load/request-load.ts';
import { resultErrors } from '#bench/suite/result-check.ts';

test('the API bench measures both sides without a refused request', async () => {
  const result = await run(smoke, () => {});
  assert.deepEqual(resultErrors(result), []);
  assert.deepEqual(result.faults, { refused: 0 });
  for (const { name, samples } of result.measurements) assert.ok(samples.length === 1 && samples[0]! >= 0, name);
  const sample = (name: string) => result.measurements.find((measurement) => measurement.name === name)!.samples[0]!;
  assert.ok(sample('service') > 0 && sample('bare handler') > 0);
  assert.ok(sample('token request, p50') > 0);
  assert.ok(sample('service at half of its rate, p99') >= sample('service at half of its rate, p50'));
  assert.ok(result.plots[0]!.series.every(({ x }) => x.length > 5));
});

async function serve(t: TestContext, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, requests: [Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')] };
}

test('an even load counts every request that was due, also one whose response comes after the time', async (t) => {
  const late: (() => void)[] = [];
  const target = await serve(t, (_request, response) => {
    late.push(() => response.end());
    // Later than the load lasts, and the last request finds no free connection before.
    if (late.length > 1) for (const answer of late.splice(0)) setTimeout(answer, 200);
  });
  const { latenciesMs, refused } = await pace(target, { connections: 2, seconds: 0.1, perSecond: 40 });
  assert.deepEqual([latenciesMs.length, refused], [4, 0]);
});

test('a connection that the server closes is a fault', async (t) => {
  const target = await serve(t, (request) => request.socket.destroy());
  const { refused } = await saturate(target, { connections: 2, seconds: 0.1 });
  assert.equal(refused, 2);
});
