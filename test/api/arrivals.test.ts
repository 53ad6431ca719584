import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Arrivals } from '#api/http/arrivals.ts';
import { REQUESTS_LET_IN_MAX } from '#engine/base/limits.ts';

/** Requests, in the order in which they were let in. */
class Entrance {
  readonly letIn: string[] = [];
  readonly #arrivals = new Arrivals();

  arrive(address: string, requests: number): void {
    for (let request = 0; request < requests; request++) {
      const name = `${address} ${request}`;
      const waiting = this.#arrivals.enter(address);
      if (waiting === null) this.letIn.push(name);
      else void waiting.then(() => this.letIn.push(name));
    }
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
  entrance.arrive('a', 3);
  entrance.arrive('b', 2);
  entrance.arrive('c', 1);
  await entrance.turnsUntil(REQUESTS_LET_IN_MAX + 6);
  assert.deepEqual(entrance.letIn.slice(REQUESTS_LET_IN_MAX), ['a 0', 'b 0', 'c 0', 'a 1', 'b 1', 'a 2']);
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
