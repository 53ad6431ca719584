// The tests that all counts of events must pass. Each implementation's test file runs them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AddressLimit } from '#api/http/address-limit.ts';
import { ApiError } from '#api/http/api-error.ts';
import type { CountedLimit, EventCounts, Taken } from '#api/http/event-counts.ts';

export interface EventCountsHarness {
  /** What one node counts with, and what another one does; of a service alone it is the same. */
  readonly here: EventCounts;
  readonly there: EventCounts;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

const TRIES: CountedLimit = { name: 'tries', rate: { requests: 2, windowMs: 60_000 } };
const OTHERS: CountedLimit = { name: 'others', rate: { requests: 1, windowMs: 60_000 } };

/** The seconds to wait; null if it was counted. */
function waitS(taken: Taken): number | null {
  return taken.kind === 'counted' ? null : Math.ceil(taken.waitMs / 1_000);
}

export function eventCountsConformance(name: string, harness: () => Promise<EventCountsHarness>): void {
  describe(`counts of events: ${name}`, () => {
    test('two nodes count for one limit, and a place becomes free when the oldest event is one window old', async () => {
      const { here, there, pass } = await harness();
      const take = async (counts: EventCounts, key = 'ada') => waitS(await counts.take([{ limit: TRIES, key }]));
      assert.equal(await take(here), null);
      await pass(30_000);
      assert.equal(await take(there), null);
      assert.equal(await take(here), 30);
      assert.equal(await take(there), 30);
      assert.equal(await take(there, 'bob'), null);
      await pass(30_001);
      assert.equal(await take(here), null);
      assert.equal(await take(there), 30);
    });

    test('what is refused does not count, and limits of other names are others', async () => {
      const { here, there, pass } = await harness();
      const ask = async (counts: EventCounts) => waitS(await counts.take([{ limit: OTHERS, key: 'ada' }]));
      assert.equal(await ask(here), null);
      for (let i = 0; i < 3; i++) {
        await pass(15_000);
        assert.equal(await ask(i % 2 === 0 ? here : there), 60 - 15 * (i + 1));
      }
      await pass(15_001);
      assert.equal(await ask(there), null);
      assert.equal(waitS(await here.take([{ limit: TRIES, key: 'ada' }])), null);
    });

    test('of several wishes all are counted or none, and the one that is full is named', async () => {
      const { here, there } = await harness();
      const wishes = [
        { limit: TRIES, key: 'ada' },
        { limit: OTHERS, key: 'ada' },
      ];
      assert.equal((await here.take(wishes)).kind, 'counted');
      const taken = await there.take(wishes);
      assert.equal(taken.kind === 'full' && taken.wish, wishes[1]);
      // Had it been counted, two tries would be the limit.
      assert.equal((await there.take([wishes[0]!])).kind, 'counted');
      assert.equal((await here.take([wishes[0]!])).kind, 'full');
    });

    test('an event that is taken back makes room at once, and one that is always counted takes it', async () => {
      const { here, there } = await harness();
      const wish = { limit: OTHERS, key: 'ada' };
      const first = await here.take([wish]);
      assert.equal(first.kind, 'counted');
      if (first.kind === 'counted') await first.discount();
      const known = await there.take([{ ...wish, always: true }]);
      assert.equal(known.kind, 'counted');
      assert.equal((await there.take([{ ...wish, always: true }])).kind, 'counted');
      assert.equal((await here.take([wish])).kind, 'full');
    });

    test('of many at the same moment, at both nodes, exactly as many are counted as may be', async () => {
      const { here, there } = await harness();
      const limit = { name: 'rush', rate: { requests: 5, windowMs: 60_000 } };
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? here : there).take([{ limit, key: 'ada' }])),
      );
      assert.equal(taken.filter(({ kind }) => kind === 'counted').length, 5);
    });

    test('a limit by address admits exactly its number over both nodes, and a /48 four times that', async () => {
      const { here, there } = await harness();
      const [one, two] = [here, there].map((counts) => new AddressLimit(counts, 'sign-ups', TRIES.rate));
      const admits = (limit: AddressLimit, clientIp: string): Promise<boolean> =>
        limit.admit(clientIp).then(
          () => true,
          (error) => {
            assert.ok(error instanceof ApiError && error.code === 'rate_limit_exceeded');
            return false;
          },
        );
      const of = async (address: (i: number) => string): Promise<number> => {
        let admitted = 0;
        for (let i = 0; i < 16; i++) if (await admits(i % 2 === 0 ? one! : two!, address(i))) admitted++;
        return admitted;
      };
      assert.equal(await of(() => '192.0.2.1'), 2);
      assert.equal(await of((i) => `2001:db8:9:${i}::1`), 8);
    });
  });
}
