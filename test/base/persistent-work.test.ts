import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Persistence, untilDone } from '#engine/base/persistent-work.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

/** A database that is unreachable until `backAtMs`, and a service that can close. */
class Outage {
  readonly time = new SimulatedTime();
  readonly triesMs: number[] = [];
  readonly told: string[] = [];
  closing = false;
  readonly #backAtMs: number;

  constructor(backAtMs: number) {
    this.#backAtMs = backAtMs;
  }

  readonly work = async (): Promise<string> => {
    this.triesMs.push(this.time.nowMs());
    if (this.time.nowMs() < this.#backAtMs) throw new Error(`away at ${this.time.nowMs()}`);
    return 'written';
  };

  begin(parts: Partial<Persistence> = {}): Promise<string> {
    return untilDone(this.work, {
      pause: (delayMs) =>
        new Promise<void>((resolve) => {
          this.time.schedule(delayMs, resolve);
        }),
      isClosing: () => this.closing,
      failed: (error) => this.told.push((error as Error).message),
      ...parts,
    });
  }
}

test('work is repeated until it succeeds, with growing pauses, and each failure is reported', async () => {
  const outage = new Outage(15_000);
  const done = outage.begin();
  await outage.time.pass(60_000);
  assert.equal(await done, 'written');
  assert.deepEqual(outage.triesMs, [0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300]);
  assert.deepEqual(outage.told.slice(0, 2), ['away at 0', 'away at 100']);
  assert.equal(outage.told.length, outage.triesMs.length - 1);
});

test('work that succeeds at once is not delayed', async () => {
  const outage = new Outage(0);
  assert.equal(await outage.begin(), 'written');
  assert.deepEqual(outage.told, []);
});

test('while the service is closing, the first failure rejects and is not reported', async () => {
  const outage = new Outage(15_000);
  const failed = assert.rejects(outage.begin(), /away at 300/);
  await outage.time.pass(200);
  outage.closing = true;
  await outage.time.pass(60_000);
  await failed;
  assert.deepEqual(outage.triesMs, [0, 100, 300]);
  assert.deepEqual(outage.told, ['away at 0', 'away at 100']);
});

test('work that does not fail while the service is closing still completes', async () => {
  const outage = new Outage(250);
  const done = outage.begin();
  await outage.time.pass(200);
  outage.closing = true;
  await outage.time.pass(60_000);
  assert.equal(await done, 'written');
});

test('a pause that rejects ends the retries', async () => {
  const outage = new Outage(15_000);
  const pause = () => Promise.reject(new Error('the service closes'));
  await assert.rejects(outage.begin({ pause }), /the service closes/);
  assert.deepEqual(outage.triesMs, [0]);
});
