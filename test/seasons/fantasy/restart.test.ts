// A service killed in the middle of a session gives the right outcome with its first response after the restart.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contractService } from '#test/support/contract-service.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { ApiClient, startService } from '#test/support/service-process.ts';

test('I7: the outcome of a session is the same in the first response after a crash', async (t) => {
  const ADMIN = { ADMIN_PORT: '0' };
  const ends: (() => unknown)[] = [];
  t.after(async () => {
    for (const end of ends) await end();
  });
  const service = await contractService({ after: (end) => void ends.push(end) }, ADMIN);
  const { clientId, clientSecret } = await service.client('developer');
  const client = await ApiClient.open(service.process.address, { clientId, clientSecret });
  const source = new OwnSource(service, '2026-brief-race');
  await source.upTo(15_000);
  const path = '/fantasy/session/2026-brief-race/scores';
  const before = await eventually('it is live with the last places', async () => {
    const { data } = (await client.call('GET', path)).body;
    return data.scores[1]?.tla === 'FAX' && data;
  });
  await service.process.end('SIGKILL');
  const next = await startService(service.dataDir, { ...ADMIN, SHARDS: '1', LOG_LEVEL: 'error' });
  ends.unshift(() => next.end('SIGTERM'));
  assert.deepEqual((await client.at(next.address).call('GET', path)).body.data, before);
});
