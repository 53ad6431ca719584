// That each attempt beyond the included ones is counted once at the payment provider, whatever fails and whenever the
// process dies.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { OverageReporter } from '#api/billing/overage/overage-reporter.ts';
import type { UsageMeter } from '#api/billing/overage/usage-meter.ts';
import { OVERAGE_BLOCK_MS, OVERAGE_SETTLE_MS } from '#engine/base/limits.ts';
import {
  type Account,
  DAY_MS,
  HOUR_MS,
  INCLUDED,
  MONTH,
  MONTH_MS,
  NEXT_MONTH_MS,
  overageTrial,
} from '#test/support/overage-trial.ts';

const { time, stripe, store, newMeter, forget, errors, newReporter, sent, account, used, blocks, difference } =
  await overageTrial({ after });

class Crash extends Error {}

/** Crashes before or after the call with this number; `calls` counts all calls of the process. */
function crashing<Part extends object>(
  part: Part,
  steps: { calls: number },
  at: number,
  when: 'before' | 'after',
): Part {
  return new Proxy(part, {
    get:
      (target, name) =>
      async (...given: unknown[]) => {
        const call = steps.calls++;
        if (call === at && when === 'before') throw new Crash();
        const answer = await (target as Record<PropertyKey, (...given: unknown[]) => unknown>)[name]!(...given);
        if (call === at && when === 'after') throw new Crash();
        return answer;
      },
  });
}

test('OV1, OV2: a crash between any two steps, and one more while it is made good, loses and doubles nothing', async () => {
  const begin = async (client: Account) => {
    await used(client, INCLUDED + 10);
    await newReporter().look();
    time.nowMs += OVERAGE_BLOCK_MS;
    await used(client, INCLUDED + 25);
  };
  // Sums that lag help nobody: only the identifier does.
  stripe.lagMs = OVERAGE_SETTLE_MS / 2;
  let steps = 0;
  for (const when of ['before', 'after'] as const) {
    for (let at = 0; ; at++) {
      const client = await account();
      await begin(client);
      let crashes = 0;
      for (const _ of [1, 2]) {
        const calls = { calls: 0 };
        const parts = {
          store: crashing(store, calls, at, when),
          meter: crashing<UsageMeter>(newMeter(), calls, at, when),
        };
        await newReporter(parts)
          .look()
          .catch((error) => {
            assert.ok(error instanceof Crash, String(error));
            crashes++;
          });
        time.nowMs += 60_000;
      }
      await newReporter().look();
      assert.equal(stripe.billed(client.customerId), 25, `${when} step ${at}`);
      assert.deepEqual(
        (await blocks(client)).map(({ value }) => value),
        [10, 15],
      );
      time.nowMs += OVERAGE_SETTLE_MS;
      await newReporter().look();
      assert.equal(await difference(client), null, `${when} step ${at}`);
      await forget();
      if (crashes === 0) break;
      steps++;
    }
  }
  assert.ok(steps > 16, `${steps} steps`);
  assert.deepEqual(errors(), []);
});

const HOURS = 5;

test('a provider that is down, fails, limits or refuses the key for hours gets everything afterwards, once', async () => {
  for (const fault of ['down', 'failed', 'failed_late', 'limited', 'refused_key'] as const) {
    const client = await account();
    const reporter = newReporter();
    await used(client, INCLUDED + 10);
    await reporter.look();
    stripe.fault = fault;
    const before = stripe.paths.length;
    for (let hour = 1; hour <= HOURS; hour++) {
      time.nowMs += HOUR_MS;
      await used(client, INCLUDED + 10 + hour);
      assert.equal(await reporter.look(), false, fault);
    }
    // The library sends a request again at once when its connection was closed.
    assert.ok(stripe.paths.length - before <= 2 * HOURS, `${fault}: ${stripe.paths.length - before} requests`);
    stripe.fault = null;
    await reporter.look();
    assert.equal(stripe.billed(client.customerId), 10 + HOURS, fault);
    time.nowMs += DAY_MS;
    await reporter.look();
    assert.equal(await difference(client), null, fault);
    await forget();
  }
  assert.deepEqual(errors(), []);
});

test('OV2: an event whose answer is lost is sent again with its identifier, value and time, and counts once', async () => {
  const client = await account();
  const reporter = newReporter();
  await used(client, INCLUDED + 10);
  // The price, the meter and the sum are asked first; the library repeats a closed connection once by itself.
  stripe.faults.push(...([null, null, null, 'lost', 'lost'] as never[]));
  assert.equal(await reporter.look(), false);
  await used(client, INCLUDED + 12);
  time.nowMs += 2 * HOUR_MS;
  assert.equal(await reporter.look(), true);
  assert.deepEqual(
    stripe.events.map(({ value }) => value),
    [10, 2],
  );
  assert.deepEqual(
    (await blocks(client)).map(({ state }) => state),
    ['sent', 'sent'],
  );
  const [first, ...repeated] = stripe.requests.slice(0, 3);
  assert.deepEqual(repeated, [first, first]);
});

/** A block whose request failed a day ago, while nothing was heard of the provider since. */
async function doubtful(client: Account, fault: 'failed' | 'failed_late'): Promise<OverageReporter> {
  const reporter = newReporter();
  await used(client, INCLUDED + 10);
  stripe.faults.push(...([null, null, null, fault] as never[]));
  assert.equal(await reporter.look(), false);
  stripe.fault = 'limited';
  for (let hour = 0; hour < 30; hour++) {
    time.nowMs += HOUR_MS;
    await reporter.look();
  }
  stripe.fault = null;
  stripe.paths.length = 0;
  return reporter;
}

test('OV2: once the provider may have forgotten an identifier, its sum decides: what was counted is not sent again', async () => {
  const client = await account();
  const reporter = await doubtful(client, 'failed_late');
  for (let hour = 0; hour < 30; hour++) {
    await reporter.look();
    time.nowMs += HOUR_MS;
  }
  assert.equal(sent(), 0);
  assert.equal(stripe.billed(client.customerId), 10);
  assert.deepEqual(await blocks(client), [{ value: 10, state: 'confirmed' }]);
  assert.deepEqual(errors(), []);
});

test('OV2: what the sum does not hold is sent again, but not before it has had time to arrive', async () => {
  const client = await account();
  const reporter = await doubtful(client, 'failed');
  await newReporter().look();
  assert.equal(sent(), 0, 'the last try was seven hours ago');
  for (let hour = 0; hour < 6; hour++) {
    time.nowMs += HOUR_MS;
    await reporter.look();
  }
  assert.equal(sent(), 1);
  assert.equal(stripe.billed(client.customerId), 10);
  time.nowMs += DAY_MS;
  await reporter.look();
  assert.equal(await difference(client), null);
  assert.deepEqual(errors(), []);
});

test('OV2: a sum that lags says nothing until it has had time; then less than was reported is an alarm, until it agrees', async () => {
  const client = await account();
  stripe.lagMs = 6 * HOUR_MS;
  await used(client, INCLUDED + 10);
  await newReporter().look();
  time.nowMs += HOUR_MS;
  await newReporter().look();
  assert.deepEqual([await difference(client), (await blocks(client))[0]!.state], [null, 'sent']);
  // The provider accepts an event and drops it afterwards.
  const [dropped] = stripe.events.splice(0);
  time.nowMs += OVERAGE_SETTLE_MS;
  const reporter = newReporter();
  await reporter.look();
  assert.equal(await difference(client), 'provider_less');
  const [{ details, message }] = errors() as [ReturnType<typeof errors>[0]];
  assert.match(message, /counted less/);
  assert.deepEqual([details.accountId, details.used, details.reported, details.counted], [client.accountId, 10, 10, 0]);
  stripe.events.push(dropped!);
  time.nowMs += HOUR_MS;
  await reporter.look();
  assert.equal(await difference(client), null);
  assert.equal(errors().length, 1);
});

test('a block that is refused is tried again after a pause, and is not taken for counted', async () => {
  const client = await account();
  await used(client, INCLUDED + 10);
  const reporter = newReporter();
  stripe.meter.event_name = 'renamed';
  const meter = newMeter();
  await meter.total(
    client.customerId,
    { firstDay: MONTH, number: 0, startsMs: MONTH_MS, endsMs: NEXT_MONTH_MS },
    new Date(time.nowMs),
  );
  stripe.meter.event_name = 'slipstream_overage';
  const refused = newReporter({ meter });
  await refused.look();
  await refused.look();
  assert.equal(sent(), 1);
  assert.match(String(errors()[0]!.details.reason), /No active meter/);
  time.nowMs += HOUR_MS;
  await reporter.look();
  assert.deepEqual([stripe.billed(client.customerId), (await blocks(client))[0]!.state], [10, 'sent']);
});
