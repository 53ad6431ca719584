import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Arrivals } from '#api/http/arrivals.ts';
import { systemClock } from '#engine/base/clock.ts';
import { CROWD_REQUESTS_MIN, CROWD_REST_MS_MAX, OTHERS_ACTIVE_MS, REQUESTS_LET_IN_MAX } from '#engine/base/limits.ts';

/** Requests, in the order in which they were let in. */
class Entrance {
  readonly letIn: string[] = [];
  readonly #arrivals = new Arrivals<string>((name) => this.letIn.push(name), systemClock);

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

/** On a clock that only requests move, each by as long as it takes. */
class TimedEntrance {
  readonly letIn: string[] = [];
  readonly takesMs: number;
  /** Ends the rest of the crowds, if they rest. */
  wake: (() => void) | null = null;
  restMs = 0;
  nowMs = 0;
  readonly #arrivals = new Arrivals<string>(
    (name) => {
      this.letIn.push(name);
      this.nowMs += this.takesMs;
    },
    {
      nowMs: () => this.nowMs,
      schedule: (delayMs, callback) => {
        this.restMs = delayMs;
        this.wake = callback;
        return () => {};
      },
    },
  );

  constructor(takesMs: number) {
    this.takesMs = takesMs;
  }

  arrive(address: string, requests: number): void {
    for (let request = 0; request < requests; request++) this.#arrivals.arrive(address, `${address} ${request}`);
  }

  /** Takes turns of the event loop until the crowds rest. */
  async resting(): Promise<void> {
    this.wake = null;
    for (let turns = 0; this.wake === null; turns++) {
      assert.ok(turns < 10, 'the crowds rest');
      await turn();
    }
  }

  endRest(): void {
    this.nowMs += this.restMs;
    this.wake!();
  }
}

test('while others send requests, a crowd rests after each turn for as long as that took; the others come in', async () => {
  const entrance = new TimedEntrance(0.25);
  entrance.arrive('other', 1);
  entrance.arrive('flood', 5_000);
  for (let rest = 1; rest <= 20; rest++) {
    await entrance.resting();
    assert.equal(entrance.restMs, REQUESTS_LET_IN_MAX * 0.25);
    const before = entrance.letIn.length;
    await turn();
    await turn();
    assert.equal(entrance.letIn.length, before, 'none of the crowd comes in while it rests');
    entrance.arrive('other', 1);
    assert.equal(entrance.letIn.at(-1), 'other 0');
    await turn();
    await turn();
    assert.equal(entrance.letIn.length, before + 1);
    entrance.endRest();
  }
  assert.equal(entrance.letIn.filter((name) => name.startsWith('flood')).length, 20 * REQUESTS_LET_IN_MAX + 3);
});

test('a crowd rests only so long, however long its turn took', async () => {
  const entrance = new TimedEntrance(100);
  entrance.arrive('other', 1);
  entrance.arrive('flood', 200);
  await entrance.resting();
  assert.equal(entrance.restMs, CROWD_REST_MS_MAX);
});

test('a crowd does not rest when nobody else has sent a request lately', async () => {
  const entrance = new TimedEntrance(0);
  entrance.arrive('other', 1);
  entrance.nowMs += OTHERS_ACTIVE_MS;
  entrance.arrive('flood', 1_000);
  for (let turns = 0; turns < 1_000 / REQUESTS_LET_IN_MAX; turns++) await turn();
  assert.equal(entrance.letIn.length, 1_001);
});

test('crowds take turns, also beside others of which some wait at every turn', async () => {
  const entrance = new TimedEntrance(0.25);
  entrance.arrive('flood', 2 * CROWD_REQUESTS_MIN);
  entrance.arrive('second', 2 * CROWD_REQUESTS_MIN);
  while (entrance.letIn.length < 600) {
    for (let address = 0; address < REQUESTS_LET_IN_MAX; address++) entrance.arrive(`address ${address}`, 1);
    await turn();
  }
  const crowded = entrance.letIn.slice(REQUESTS_LET_IN_MAX).filter((name) => /^(flood|second)/.test(name));
  assert.ok(crowded.length >= 20, `${crowded.length} of the crowds`);
  const seconds = crowded.filter((name) => name.startsWith('second')).length;
  assert.ok(Math.abs(2 * seconds - crowded.length) <= 1, `${seconds} of ${crowded.length} are of one of two crowds`);
});
