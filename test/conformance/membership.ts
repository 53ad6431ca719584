// The tests that every membership must pass. Each implementation's test file runs them.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { NODE_LEASE_MS, NODE_SLOTS_MAX } from '#engine/base/limits.ts';
import { AddressTaken, type Membership, type NodeFacts } from '#engine/nodes/membership.ts';

export interface MembershipHarness {
  /** A membership without nodes. */
  readonly membership: Membership;
  /** Lets the lease of a node run out. */
  expire(nodeNo: number): Promise<void>;
  /** Whether writers of the node are fenced off. */
  isFenced(nodeId: string): Promise<boolean>;
  /** Lets a writer of the node write. */
  admitWriter(nodeId: string): Promise<void>;
}

let nodes = 0;
function facts(): NodeFacts {
  nodes++;
  return {
    nodeId: randomUUID(),
    address: `10.0.0.${nodes}:8090`,
    version: '1.0.0',
    deriverVersion: 7,
    schemaVersion: 1_000,
    keyPrint: Buffer.of(1, nodes),
  };
}

export function membershipConformance(name: string, harness: () => Promise<MembershipHarness>): void {
  const owned = async (membership: Membership, by: number): Promise<Map<number, number>> => {
    const { owners } = (await membership.renew(by))!;
    return new Map([...Map.groupBy(owners, (owner) => owner)].map(([owner, slots]) => [owner, slots.length]));
  };

  describe(`membership: ${name}`, () => {
    test('the first node of a cluster gets every slot, the next one none', async () => {
      const { membership } = await harness();
      const [one, two] = [await membership.join(facts()), await membership.join(facts())];
      assert.notEqual(one, two);
      assert.deepEqual(await owned(membership, two), new Map([[one, NODE_SLOTS_MAX]]));
    });

    test('a node renews its lease and sees who lives', async () => {
      const { membership, expire } = await harness();
      const [one, two] = [await membership.join(facts()), await membership.join(facts())];
      await expire(two);
      const { nodes } = (await membership.renew(one))!;
      assert.deepEqual(
        nodes.map(({ nodeNo, expired }) => [nodeNo, expired]),
        [
          [one, false],
          [two, true],
        ],
      );
      const { leaseLeftMs } = nodes[0]!;
      assert.ok(leaseLeftMs > NODE_LEASE_MS / 2 && leaseLeftMs <= NODE_LEASE_MS, `${leaseLeftMs} ms left`);
    });

    test('PM1: only a node whose lease has run out is taken over: its slots are dealt out, its writers fenced off, and it never renews again', async () => {
      const { membership, expire, isFenced, admitWriter } = await harness();
      const dead = facts();
      const gone = await membership.join(dead);
      const [one, two] = [await membership.join(facts()), await membership.join(facts())];
      await admitWriter(dead.nodeId);
      assert.equal(await membership.takeOver(gone, one), false);
      assert.equal(await isFenced(dead.nodeId), false);
      await expire(gone);
      assert.equal(await membership.takeOver(gone, one), true);
      assert.equal(await isFenced(dead.nodeId), true);
      assert.deepEqual(
        await owned(membership, one),
        new Map([
          [one, NODE_SLOTS_MAX / 2],
          [two, NODE_SLOTS_MAX / 2],
        ]),
      );
      assert.equal(await membership.renew(gone), null);
      assert.equal(await membership.takeOver(gone, two), false, 'it is taken over once');
    });

    test('a node without a lease takes over from nobody', async () => {
      const { membership, expire } = await harness();
      const [one, two] = [await membership.join(facts()), await membership.join(facts())];
      await expire(one);
      await expire(two);
      assert.equal(await membership.takeOver(one, two), false);
      assert.notEqual(await membership.renew(one), null);
    });

    test('slots are given all or none, by their owner, to a node that lives', async () => {
      const { membership, expire } = await harness();
      const [one, two, three] = [
        await membership.join(facts()),
        await membership.join(facts()),
        await membership.join(facts()),
      ];
      const epochs = (await membership.renew(one))!.epochs;
      assert.equal(await membership.give([0, 1, 2], one, two), true);
      assert.equal(await membership.give([2, 3], one, three), false);
      await expire(three);
      assert.equal(await membership.give([4], one, three), false);
      assert.equal(await membership.give([5], two, one), false);
      assert.deepEqual(
        [await membership.owns(two, [0, 1, 2]), await membership.owns(one, [2, 3]), await membership.owns(one, [3, 4])],
        [true, false, true],
      );
      const after = (await membership.renew(one))!;
      assert.deepEqual(after.owners.slice(0, 6), [two, two, two, one, one, one]);
      assert.deepEqual(
        after.epochs.slice(0, 6).map((epoch, slot) => epoch - epochs[slot]!),
        [1, 1, 1, 0, 0, 0],
      );
    });

    test('a node that leaves gives its slots to the others; the last one leaves them to nobody', async () => {
      const { membership, isFenced, admitWriter } = await harness();
      const leaver = facts();
      const [one, two] = [await membership.join(leaver), await membership.join(facts())];
      await admitWriter(leaver.nodeId);
      await membership.leave(one);
      assert.equal(await isFenced(leaver.nodeId), true);
      assert.deepEqual(await owned(membership, two), new Map([[two, NODE_SLOTS_MAX]]));
      await membership.leave(one);
      await membership.leave(two);
      const next = await membership.join(facts());
      assert.deepEqual(await owned(membership, next), new Map([[next, NODE_SLOTS_MAX]]));
    });

    test('two nodes cannot be at one address, unless the first is dead', async () => {
      const { membership, expire } = await harness();
      const first = facts();
      const one = await membership.join(first);
      const twin = { ...facts(), address: first.address };
      await assert.rejects(membership.join(twin), AddressTaken);
      await expire(one);
      assert.ok((await membership.join(twin)) > one);
    });
  });
}
