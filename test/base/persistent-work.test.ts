import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Persistence, untilDone } from '#engine/base/persistent-work.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

/** A database that is away until `backAtMs`, and a service that can close. */
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

test('work is tried until it is done, with growing pauses, and each failure is told', async () => {
  const outage = new Outage(15_000);
  const done = outage.begin();
  await outage.time.pass(60_000);
  assert.equal(await done, 'written');
  assert.deepEqual(outage.triesMs, [0, 100, 300, 700, 1_500, 3_100, 6_300, 11_300, 16_300]);
  assert.deepEqual(outage.told.slice(0, 2), ['away at 0', 'away at 100']);
  assert.equal(outage.told.length, outage.triesMs.length - 1);
});

test('work that succeeds at once takes no pause', async () => {
  const outage = new Outage(0);
  assert.equal(await outage.begin(), 'written');
  assert.deepEqual(outage.told, []);
});

test('while the service closes a failure is the last, and goes to the caller alone', async () => {
  const outage = new Outage(15_000);
  const failed = assert.rejects(outage.begin(), /away at 300/);
  await outage.time.pass(200);
  outage.closing = true;
  await outage.time.pass(60_000);
  await failed;
  assert.deepEqual(outage.triesMs, [0, 100, 300]);
  assert.deepEqual(outage.told, ['away at 0', 'away at 100']);
});

test('what closing does not find failing is still done', async () => {
  const outage = new Outage(250);
  const done = outage.begin();
  await outage.time.pass(200);
  outage.closing = true;
  await outage.time.pass(60_000);
  assert.equal(await done, 'written');
});

test('a pause that rejects ends the tries', async () => {
  const outage = new Outage(15_000);
  const pause = () => Promise.reject(new Error('the service closes'));
  await assert.rejects(outage.begin({ pause }), /the service closes/);
  assert.deepEqual(outage.triesMs, [0]);
});
