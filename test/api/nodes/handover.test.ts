import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterHomes } from '#api/nodes/cluster-homes.ts';
import { Handover } from '#api/nodes/handover.ts';
import { Lease } from '#engine/base/lease.ts';
import { HANDOVER_SLOTS, NODE_SLOTS_MAX, RECORD_RETRY_MS_MAX } from '#engine/base/limits.ts';
import type { Membership } from '#engine/nodes/membership.ts';
import { slotOf } from '#engine/nodes/slots.ts';
import { MemoryMembership } from '#test/support/memory-membership.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const ACCOUNTS = Array.from({ length: 4 * NODE_SLOTS_MAX }, (_, number) => `acc_${number}`);

/** A node that owns every slot, and another one that has just joined. `asked` may lose an answer, or keep a question away. */
async function twoNodes(
  asked: <Result>(work: () => Promise<Result>) => Promise<Result>,
  gainFailures = 0,
  gained: Promise<void> = Promise.resolve(),
) {
  const time = new SimulatedTime();
  const database = new MemoryMembership(time);
  const join = (nodeId: string) =>
    database.join({
      nodeId,
      address: `10.0.0.1:${nodeId}`,
      version: '1',
      deriverVersion: 1,
      schemaVersion: 1,
      keyPrint: new Uint8Array(),
    });
  const [nodeNo, other] = [await join('1'), await join('2')];
  const homes = new ClusterHomes({ nodeNo, lease: Lease.forever(), clock: time });
  homes.update(database.standing());
  const membership: Pick<Membership, 'give' | 'owns'> = {
    give: (slots, from, to) => asked(() => database.give(slots, from, to)),
    owns: (node, slots) => asked(() => database.owns(node, slots)),
  };
  const resumed: string[] = [];
  let tries = 0;
  const handover = new Handover({
    nodeNo,
    homes,
    membership,
    letGo: async () => true,
    gain: async (isOurs) => {
      if (tries++ < gainFailures) away();
      await gained;
      resumed.push(...ACCOUNTS.filter(isOurs));
    },
    clock: time,
    log: { info() {}, warn() {}, error() {} },
  });
  return { time, database, nodeNo, other, homes, handover, resumed };
}

const away = (): never => {
  throw new Error('the database is away');
};

test('HO4: slots whose new home has them by now are not resumed here, though the answer of the database was lost', async () => {
  let questions = 0;
  const { time, database, other, homes, handover, resumed } = await twoNodes(async (work) => {
    questions++;
    // What the first question did stays done; the second does not get there.
    if (questions === 1) await work();
    return questions <= 2 ? away() : work();
  });
  handover.balance();
  await time.pass(RECORD_RETRY_MS_MAX);
  await handover.close();
  const gone = database.standing().owners.filter((owner) => owner === other).length;
  assert.ok(gone >= HANDOVER_SLOTS, `${gone} slots are the other node's`);
  assert.deepEqual(resumed, []);
  const here = ACCOUNTS.filter((account) => homes.homeOf(account).kind === 'here');
  const { owners } = database.standing();
  assert.deepEqual(
    here.filter((account) => owners[slotOf(account)] === other),
    [],
  );
});

test('HO3: slots that the database has not given away stay and are resumed, once it says so', async () => {
  let questions = 0;
  const { time, database, nodeNo, homes, handover, resumed } = await twoNodes(async (work) => {
    questions++;
    return questions <= 2 ? away() : work();
  });
  handover.balance();
  await time.pass(RECORD_RETRY_MS_MAX);
  await handover.close();
  assert.ok(database.standing().owners.every((owner) => owner === nodeNo));
  assert.ok(resumed.length > 0);
  assert.ok(ACCOUNTS.every((account) => homes.homeOf(account).kind === 'here'));
});

test('HO3: what was let go of for a handover that was given up is resumed here, also after the database was away for a while', async () => {
  let questions = 0;
  const { time, database, nodeNo, other, handover, resumed } = await twoNodes(async (work) => {
    questions++;
    return questions === 1 ? away() : work();
  }, 3);
  handover.balance();
  await time.pass(0);
  database.expire(other);
  await database.takeOver(other, nodeNo);
  await time.pass(2 * RECORD_RETRY_MS_MAX);
  await handover.close();
  assert.ok(resumed.length > 0);
});

test('HO4: while nobody knows who has the slots, they are not at home here: not when the node stops, either', async () => {
  const { time, homes, handover, resumed } = await twoNodes(async () => away());
  handover.balance();
  await time.pass(RECORD_RETRY_MS_MAX);
  assert.ok(ACCOUNTS.some((account) => homes.homeOf(account).kind === 'none'));
  await handover.close();
  assert.deepEqual(resumed, []);
  assert.ok(ACCOUNTS.some((account) => homes.homeOf(account).kind === 'none'));
});

test('HO5: nothing is handed over while this node still resumes what it has gained: the new home would, too', async () => {
  const resuming = Promise.withResolvers<void>();
  const { time, database, nodeNo, other, handover, resumed } = await twoNodes((work) => work(), 1, resuming.promise);
  const mine = database.standing().owners;
  handover.gain([...mine.keys()]);
  handover.balance();
  await time.pass(RECORD_RETRY_MS_MAX);
  assert.ok(database.standing().owners.every((owner) => owner === nodeNo));
  resuming.resolve();
  await time.pass(0);
  assert.equal(resumed.length, ACCOUNTS.length);
  await database.renew(other);
  handover.balance();
  await time.pass(0);
  await handover.close();
  assert.equal(database.standing().owners.filter((owner) => owner === other).length, NODE_SLOTS_MAX / 2);
});
