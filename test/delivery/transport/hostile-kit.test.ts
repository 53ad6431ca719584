// The kit of misbehaving receivers (bench/receivers/hostile) against the transport alone, row by row; `npm run bench --
// receivers` does the same to the whole engine.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { HostileKit, MISBEHAVIOURS } from '#bench/receivers/hostile/hostile-kit.ts';
import { nameOf } from '#bench/receivers/hostile/hostile-receiver.ts';
import { describeOutcome, isOutcome } from '#bench/receivers/hostile/misbehaviour.ts';
import { systemClock } from '#engine/base/clock.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import { createNameLookup } from '#engine/delivery/transport/name-lookup.ts';
import type { Connections } from '#engine/delivery/transport/transport.ts';
import { ends } from '#test/support/bare-http.ts';
import { type Outcome, outcomeOf } from '#test/support/log-row.ts';

/** Replaces the actor's deadline: short where the deadline may end the attempt. */
const SOON_MS = 10_000;
const LATE_MS = 200;
const ATTEMPTS = 3;

const kit = await HostileKit.start(MISBEHAVIOURS);
after(() => kit.close());
const lookup = createNameLookup(systemClock, [kit.nameServer]);
const transport = new HttpTransport({ isServed: true, isOwnPort: () => false }, systemClock, lookup);

function attempt(origin: string, connections: Connections, patienceMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const exchange = connections.send({ origin, path: '/', method: 'POST' }, '', Buffer.from('{}'), {
      ended: (result) => {
        clearTimeout(timer);
        resolve(outcomeOf(result));
      },
    });
    const timer = setTimeout(() => {
      exchange.abandon();
      resolve({ statusCode: null, error: 'timeout', answer: null });
    }, patienceMs);
  });
}

test('every misbehaviour has a unique name, and there are more than fifty', () => {
  assert.equal(new Set(MISBEHAVIOURS.map(({ name }) => name)).size, MISBEHAVIOURS.length);
  assert.ok(MISBEHAVIOURS.length > 50);
});

describe('whatever a receiver does, an attempt ends as the kit says', { concurrency: true }, () => {
  for (const receiver of kit.receivers) {
    const { name, does, outcome, over, reused, by } = receiver.row;
    test(`${name}: a receiver that ${does}`, async () => {
      const { origin } = new URL(receiver.url);
      // As the service does when it checks a URL before accepting it.
      if (by.kind === 'name' && by.answer.kind === 'change') await lookup(nameOf(receiver.row));
      const connections = transport.connect('wh', origin, by.kind !== 'name');
      ends.push(() => connections.close());
      const isSilent = by.kind === 'name' && by.answer.kind === 'silence';
      const patienceMs = isSilent || over === 'at the deadline' ? LATE_MS : SOON_MS;
      const attempts = by.kind === 'name' ? 1 : ATTEMPTS;
      for (let i = 0; i < attempts; i++) {
        const { statusCode, error, answer } = await attempt(origin, connections, patienceMs);
        const expected = `${describeOutcome(outcome)}, and not ${statusCode ?? error}`;
        assert.ok(isOutcome(outcome, statusCode, error), expected);
        assert.ok((answer ?? '').length <= 1_024);
        if (over === 'at the deadline') assert.equal(error, 'timeout');
      }
      if (reused !== 'maybe') assert.equal(receiver.calls.reused, reused === 'yes', 'its connections are used again');
      if (by.kind === 'name') assert.equal(receiver.calls.connections, 0, 'nothing reaches the port behind the name');
    });
  }
});

test('no redirect was followed', () => assert.equal(kit.canaryCalls, 0));
