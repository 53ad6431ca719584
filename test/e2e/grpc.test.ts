// gRPC at the start and the stop of the service, and when its thread dies.

import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { prepare } from '#test/contract/short-session.ts';
import { contractService } from '#test/support/contract-service.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { grpcClient } from '#test/support/grpc-client.ts';
import { eventually } from '#test/support/patience.ts';
import { startService } from '#test/support/service-process.ts';
import { FAULTS } from '#test/support/thread-faults.ts';

test('a certificate that is none, or is not there, is named with its setting before anything is made', async () => {
  const dataDir = temporaryDataDir();
  const file = join(dataDir, 'not-a.pem');
  writeFileSync(file, 'nothing');
  const settings = { GRPC_PORT: '0', GRPC_TLS_CERT: file, GRPC_TLS_KEY: file };
  await assert.rejects(startService(dataDir, settings), /ended with 1: GRPC_TLS_CERT or GRPC_TLS_KEY: .*PEM/);
  const missing = { ...settings, GRPC_TLS_KEY: join(dataDir, 'missing.pem') };
  await assert.rejects(startService(dataDir, missing), /ended with 1: GRPC_TLS_KEY: ENOENT.*missing\.pem/);
  assert.deepEqual(readdirSync(dataDir), ['not-a.pem']);
});

test('when its thread dies, clients come back with their cursors at the same port, and every slot is free', async () => {
  const service = await contractService(
    { after },
    {
      GRPC_PORT: '0',
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${import.meta.resolve('../support/faulty-threads.ts')}`,
    },
  );
  const account = await service.client('custom');
  await prepare(account, 'demo-race');
  const client = grpcClient(service.process.grpc, account.token);
  const whole = client.subscribe({ session: 'demo-race', feeds: ['timing.data'] });
  await whole.ended();
  const stream = client.subscribe({ session: 'demo-race', feeds: ['timing.data'], speed: 10 });
  await stream.received(20);
  service.process.process.kill(FAULTS.grpcDies);
  assert.equal((await stream.ended()).code, status.UNAVAILABLE);
  const cursor = stream.updates.at(-1)!.cursor;
  const rest = await eventually('a stream again', async () => {
    const again = client.subscribe({ session: 'demo-race', feeds: ['timing.data'], cursor });
    return (await again.ended()).code === status.OK ? again : null;
  });
  assert.deepEqual([...stream.bodies(), ...rest.bodies()], whole.bodies());
  client.close();
  await eventually('usage', async () => {
    const { data } = (await account.call('GET', '/usage')).body;
    return data.demoStreamedCount >= whole.updates.length + rest.updates.length;
  });
  assert.equal(await service.process.end('SIGTERM'), 0);
});

test('a service that stops says so to its streams, and ends in time', async () => {
  const service = await contractService({ after }, { GRPC_PORT: '0' });
  const client = grpcClient(service.process.grpc, (await service.client('custom')).token);
  const stream = client.subscribe({ session: 'live' });
  await eventually('the stream', () => stream.firstCursor() !== null);
  const ended = service.process.end('SIGTERM');
  assert.equal((await stream.ended()).code, status.UNAVAILABLE);
  assert.equal(stream.code(), 'stopping');
  client.close();
  assert.equal(await ended, 0);
});
