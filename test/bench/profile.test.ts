import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeByKind } from '#bench/load/cpu-profile.ts';
import { run, smoke } from '#bench/load/profile.ts';
import { TRUSTING_IT } from '#bench/receivers/localhost-certificate.ts';
import { runSeparately } from '#bench/suite/separate-bench.ts';

test('the profile bench loses nothing and reports the delivery thread', async () => {
  const { faults, measurements } = await run(smoke, () => {});
  assert.deepEqual(faults, { lost: 0, doubled: 0, misordered: 0, wronglySigned: 0, unrecorded: 0 });
  for (const name of ['own work of the engine', 'writes to sockets', 'signing', 'records']) {
    assert.ok(measurements.find((measurement) => measurement.name === name)!.samples[0]! > 0, name);
  }
});

test('over https it reports the same', async () => {
  const args = ['--https', '--deliveries', '5000', '--endpoints', '5', '--rounds', '1'];
  const { signal } = new AbortController();
  const { faults, parameters, measurements } = await runSeparately('profile', args, () => {}, signal, TRUSTING_IT);
  assert.deepEqual(faults, { lost: 0, doubled: 0, misordered: 0, wronglySigned: 0, unrecorded: 0 });
  assert.equal(parameters.https, 'yes');
  assert.ok(measurements.find(({ name }) => name === 'writes to sockets')!.samples[0]! > 0);
});

test('time in a platform function counts for its caller, except writes to sockets', () => {
  const node = (id: number, functionName: string, url = '', children: number[] = []) => ({
    id,
    callFrame: { functionName, url },
    children,
  });
  const times = timeByKind({
    nodes: [
      node(1, '(root)', '', [2, 7, 8]),
      node(2, 'turn', 'file:///x/engine/delivery/endpoint/endpoint-actor.ts', [3, 5]),
      node(3, 'digest', 'file:///x/engine/delivery/sign/hmac-sha256.ts', [4]),
      node(4, 'hash'),
      node(5, 'send', 'file:///x/engine/delivery/transport/http-connection.ts', [6, 9]),
      node(6, 'writeBuffer'),
      node(7, '(idle)'),
      node(8, '(garbage collector)'),
      node(9, 'write', 'node:internal/streams/writable', [10]),
      node(10, 'somewhere else'),
    ],
    samples: [2, 3, 4, 5, 6, 7, 8, 9, 10],
    timeDeltas: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  });
  assert.deepEqual(
    [...times].filter(([, us]) => us > 0),
    [
      ['writes to sockets', 16],
      ['sockets of the platform', 384],
      ['HTTP client', 8],
      ['signing', 6],
      ['actors and the rest of the engine', 1],
      ['garbage collection', 64],
      ['idle', 32],
    ],
  );
});
