// Filters over whole races: a shard delivers the same updates that a slow check of the bodies, without masks, picks by
// the filter rules.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { recorded, type TestSession } from '#test/racing/real-sessions.ts';
import { endpointSettings } from '#test/support/endpoints.ts';
import { answers } from '#test/support/simulated-network.ts';
import { SimulatedShard } from '#test/support/simulated-shard.ts';
import { sharedArtifact } from '#test/support/timelines.ts';

interface Body {
  readonly feed: string;
  readonly sequence: number;
  readonly event?: string;
  readonly drivers?: readonly {
    readonly tla: string;
    readonly number: string;
    readonly team: string;
    readonly position: number | null;
  }[];
}

const squash = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function picked(body: Body, filters: FilterSpec): boolean {
  if (filters.eventTypes !== undefined && body.feed === 'events.race' && !filters.eventTypes.includes(body.event!)) {
    return false;
  }
  const { drivers, driverNumbers, constructors, positions } = filters;
  if ([drivers, driverNumbers, constructors, positions].every((key) => key === undefined)) return true;
  if (!FEEDS.find(({ feedId }) => feedId === body.feed)!.perDriver) return true;
  return (body.drivers ?? []).some(
    (driver) =>
      (drivers?.includes(driver.tla) ?? true) &&
      (driverNumbers?.includes(driver.number) ?? true) &&
      (constructors?.some((keyword) => squash(driver.team).includes(squash(keyword))) ?? true) &&
      (positions === undefined ||
        (driver.position !== null &&
          driver.position >= (positions.min ?? 1) &&
          driver.position <= (positions.max ?? Number.POSITIVE_INFINITY))),
  );
}

/** In Baku 2018. */
const REAL_CASES: readonly FilterSpec[] = [
  {},
  { drivers: ['BOT', 'VET'] },
  { driverNumbers: ['33'] },
  { constructors: ['redbull'] },
  { constructors: ['force india', 'Haas'] },
  { positions: { max: 3 } },
  { positions: { min: 10, max: 12 } },
  { eventTypes: ['overtake', 'pit_entry', 'fastest_lap'] },
  { eventTypes: ['safety_car_deployed'] },
  { constructors: ['redbull'], positions: { max: 4 } },
  { drivers: ['RIC', 'HAM'], constructors: ['Red Bull'], positions: { min: 1, max: 6 }, eventTypes: ['overtake'] },
];

const GOLDEN_CASES: readonly FilterSpec[] = [
  {},
  { drivers: ['HOL', 'OKE'] },
  { driverNumbers: ['66'] },
  { constructors: ['asterracing'] },
  { constructors: ['copperline', 'Everfield'] },
  { positions: { max: 3 } },
  { positions: { min: 6, max: 8 } },
  { eventTypes: ['overtake', 'pit_entry', 'fastest_lap'] },
  { eventTypes: ['safety_car_deployed'] },
  { constructors: ['asterracing'], positions: { max: 4 } },
  {
    drivers: ['LIN', 'HOL'],
    constructors: ['Copperline GP', 'Delta'],
    positions: { min: 1, max: 8 },
    eventTypes: ['overtake'],
  },
];

const RACES = [
  { session: RACE as TestSession, cases: GOLDEN_CASES },
  ...recorded('2018-azerbaijan-race').map((session) => ({ session, cases: REAL_CASES })),
];

for (const { session, cases } of RACES) {
  test(`every filter key, and their AND, delivers the updates that a slow check of the bodies picks: ${session.sessionId}`, async () => {
    const { timeline } = session;
    const bodies = Array.from(
      { length: timeline.length },
      (_, position) => JSON.parse(Buffer.from(timeline.body(position)).toString()) as Body,
    );
    const shard = new SimulatedShard();
    const endpoints = cases.map((filters, index) => {
      const origin = `http://case-${index}.example`;
      shard.network.receiver(origin, () => answers(200, 1));
      return endpointSettings({
        webhookId: `wh_${index}`,
        webhookNo: index,
        url: `${origin}/`,
        filters,
        subscriptions: FEEDS.map(({ feedId }) => ({ feedId, filters: {}, active: true })),
      });
    });
    // A thousand times faster than the race, so that simulated time passes in a few thousand steps.
    shard.start(await sharedArtifact(timeline), endpoints, { speed: 1_000 });
    await shard.time.pass(60_000);
    assert.ok(shard.settled());
    for (const [index, filters] of cases.entries()) {
      const expected = bodies.filter((body) => picked(body, filters)).map(({ sequence }) => sequence);
      assert.ok(expected.length > 0, `case ${index} picks something`);
      const delivered = shard.network.at(`http://case-${index}.example`).map(({ sequence }) => sequence);
      assert.deepEqual(delivered, expected, JSON.stringify(filters));
    }
  });
}
