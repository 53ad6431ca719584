// What GET /readyz says about the threads of the service.

import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { type ObservedParts, serviceProblems } from '#workers/service-problems.ts';

const WORKING: ObservedParts = {
  dataDir: tmpdir(),
  router: { problems: () => [] },
  live: null,
  operators: null,
  grpc: null,
};

test('each thread that is being restarted is named, and no other', async () => {
  const [restarting, working] = [{ isRestarting: true }, { isRestarting: false }];
  const ofThreads = async (live: typeof working, operators: typeof working, grpc: typeof working) =>
    (await serviceProblems({ ...WORKING, live, operators, grpc })).filter((text) => text.includes('restarted'));
  assert.deepEqual(await ofThreads(working, working, working), []);
  assert.deepEqual(await ofThreads(restarting, working, working), ['the live thread is being restarted']);
  assert.deepEqual(await ofThreads(working, restarting, working), ['the listener for operators is being restarted']);
  assert.deepEqual(await ofThreads(working, working, restarting), ['the gRPC listener is being restarted']);
});

test('what the shards say comes first, and threads that there are none of are not missed', async () => {
  const router = { problems: () => ['a delivery thread is being restarted'] };
  const [first, ...others] = await serviceProblems({ ...WORKING, router });
  assert.equal(first, 'a delivery thread is being restarted');
  assert.deepEqual(
    others.filter((text) => text.includes('restarted')),
    [],
  );
});
