import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Arrivals } from '#api/http/arrivals.ts';
import { REQUESTS_LET_IN_MAX } from '#engine/base/limits.ts';

/** Requests, in the order in which they were let in. */
class Entrance {
  readonly letIn: string[] = [];
  readonly #arrivals = new Arrivals<string>((name) => this.letIn.push(name));

  arrive(address: string, requests: number): void {
    for (let request = 0; request < requests; request++) this.#arrivals.arrive(address, `${address} ${request}`);
  }

  /** Resolves when so many were let in. Returns the turns of the event loop that it took. */
  async turnsUntil(requests: number): Promise<number> {
    let turns = 0;
    while (this.letIn.length < requests) {
      await turn();
      turns++;
    }
    return turns;
  }
}

test('a few requests come in at once, whatever their address', () => {
  const entrance = new Entrance();
  for (let request = 0; request < REQUESTS_LET_IN_MAX; request++) entrance.arrive(`address ${request}`, 1);
  assert.equal(entrance.letIn.length, REQUESTS_LET_IN_MAX);
});

test('a request comes in within two turns, however many of another address arrived before it', async () => {
  const entrance = new Entrance();
  entrance.arrive('flood', 5_000);
  await turn();
  entrance.arrive('other', 1);
  await turn();
  await turn();
  assert.ok(entrance.letIn.includes('other 0'));
  assert.ok(entrance.letIn.length <= 4 * REQUESTS_LET_IN_MAX, `${entrance.letIn.length} were let in`);
});

test('addresses take turns, the requests of one come in as they arrived, and none is forgotten', async () => {
  const entrance = new Entrance();
  entrance.arrive('flood', REQUESTS_LET_IN_MAX);
  const addresses = Array.from({ length: 3 * REQUESTS_LET_IN_MAX }, (_, index) => `address ${index}`);
  for (const address of addresses) entrance.arrive(address, 2);
  await entrance.turnsUntil(REQUESTS_LET_IN_MAX + 2 * addresses.length);
  const expected = [0, 1].flatMap((request) => addresses.map((address) => `${address} ${request}`));
  assert.deepEqual(entrance.letIn.slice(REQUESTS_LET_IN_MAX), expected);
});

test('a turn lets in a bounded number, and the next request after all of them comes in at once', async () => {
  const entrance = new Entrance();
  const requests = 10 * REQUESTS_LET_IN_MAX;
  entrance.arrive('flood', requests);
  assert.ok((await entrance.turnsUntil(requests)) >= 9);
  await turn();
  await turn();
  entrance.arrive('later', 1);
  assert.equal(entrance.letIn.at(-1), 'later 0');
});
