import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { PIT_LOSS_FIT, pitLossOf } from '#bench/fit/pit-loss-fit.ts';
import type { TableRace } from '#bench/laps/lap-tables.ts';
import type { StopCase } from '#bench/laps/stop-cases.ts';
import { HISTORY, LAPS } from '#bench/suite/shared-data.ts';
import pitLoss from '#engine/racing/analytics/coefficients/pit-loss.json' with { type: 'json' };

const skip = existsSync(LAPS) ? false : 'no tables of laps in ../shared/data';

function stopsOf(event: string, season: number, losses: readonly number[], status: StopCase['status'] = 'green') {
  const race: TableRace = { season, round: 1, event, isSprint: false, laps: 50, cars: new Map() };
  return losses.map((lossSeconds, index): StopCase => ({ race, number: '1', lap: index + 5, status, lossSeconds }));
}

test('circuits are drawn towards their mean, the more the fewer races there were; safety cars are a part of the race', () => {
  const scattered = (middle: number) => [-2, -1, 0, 1, 2].map((off) => middle + off);
  const cheap = [18, 18.5, 17.5].flatMap((middle, year) => stopsOf('A', 2018 + year, scattered(middle)));
  const dear = stopsOf('B', 2018, scattered(26));
  const others = [20, 22, 24].flatMap((middle, index) => stopsOf('CDE'[index]!, 2018, scattered(middle)));
  const few = stopsOf('F', 2018, [40, 41]);
  const first = dear[0]!.race;
  const behind = stopsOf('B', 2018, [13, 12, 14], 'safety_car').map((stop) => ({ ...stop, race: first }));
  const virtual = behind.map((stop) => ({ ...stop, status: 'virtual_safety_car' as const, lossSeconds: 19.5 }));
  const { seconds, circuits, safetyCar, virtualSafetyCar } = pitLossOf([
    ...[...cheap, ...dear, ...others, ...few],
    ...behind,
    ...virtual,
  ]);
  assert.equal(circuits.F, undefined);
  const drawn = (event: string, own: number) => (circuits[event]![0]! - own) / (seconds - own);
  assert.ok(drawn('A', 18) > 0 && drawn('A', 18) < drawn('B', 26) && drawn('B', 26) < 1);
  assert.ok(circuits.A![1]! < circuits.B![1]!);
  assert.equal(safetyCar.part, 0.5);
  assert.equal(virtualSafetyCar.part, 0.75);
});

describe('stops in tables of laps', { skip }, () => {
  test('the file has the numbers of the fit', () => {
    const { values } = PIT_LOSS_FIT.fit({ history: HISTORY, laps: LAPS, recordings: '' }, () => {});
    assert.deepEqual(values, pitLoss.values);
    assert.equal(pitLoss.method, PIT_LOSS_FIT.method);
  });
});
