import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REFUSAL_STATUSES, STATUS } from '#api/grpc/grpc-status.ts';
import { ApiError } from '#api/http/api-error.ts';
import { CallDesk } from '#api/http/call-desk.ts';
import { HERE, type Home } from '#api/http/homes.ts';
import { RequestQuota } from '#api/http/request-quota.ts';
import { systemClock } from '#engine/base/clock.ts';
import { silentLog } from '#test/support/database.ts';

test('a call is served at the home of its account, which is held meanwhile; elsewhere it is refused, says what to do, and counts nothing', async () => {
  let home: Home = { kind: 'peer', node: { nodeNo: 2, address: '10.0.0.2:8090' } };
  const held: string[] = [];
  let counted = 0;
  const quota = new RequestQuota(systemClock);
  const take = quota.take.bind(quota);
  quota.take = (caller) => {
    counted++;
    return take(caller);
  };
  const desk = new CallDesk({
    authenticate: () => async () => ({ accountId: 'acc_1', plan: 'custom' }),
    quota,
    homes: {
      homeOf: () => home,
      begun: (key) => void held.push(`begun ${key}`),
      ended: (key) => void held.push(`ended ${key}`),
    },
    log: silentLog,
  });
  const call = { method: 'grpc Subscribe', authorization: 'Bearer x', address: '192.0.2.1', included: () => true };
  for (const elsewhere of [home, { kind: 'none' } as const]) {
    home = elsewhere;
    const refusal = await desk.serve(call, async () => 'served').catch((error) => error);
    assert.ok(refusal instanceof ApiError);
    assert.equal(REFUSAL_STATUSES[refusal.code], STATUS.unavailable);
    assert.match(refusal.message, /at home on another node of the cluster: call again/);
    assert.deepEqual(refusal.headers, { 'retry-after': '1' });
  }
  assert.deepEqual([held, counted], [[], 0]);
  home = HERE;
  assert.equal(await desk.serve(call, async () => held.join()), 'begun acc_1');
  await assert.rejects(desk.serve(call, () => Promise.reject(new ApiError('not_found'))));
  assert.deepEqual(held, ['begun acc_1', 'ended acc_1', 'begun acc_1', 'ended acc_1']);
  assert.equal(counted, 2);
});
