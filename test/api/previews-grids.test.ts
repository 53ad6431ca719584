import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveOutcomes } from '#api/outcomes/live-outcomes.ts';
import { QualifyingGrids } from '#api/previews/grids.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';

function outcome(phase: SessionOutcome['phase'], ...drivers: (string | null)[]): SessionOutcome {
  const cars = drivers.map((driver, place) => ({
    ...{ number: String(place + 1), driver, name: driver, tla: null, team: null, position: place + 1, gridPlace: null },
    ...{ constructorId: null, lapsCompleted: 5, out: false, reachedQ3: false },
  }));
  return { phase, currentLap: null, totalLaps: null, cars, fastestLap: null, stops: [] };
}

function grids(recorded: Readonly<Record<string, SessionOutcome | 'busy'>>) {
  const live = new LiveOutcomes();
  return { live, grids: new QualifyingGrids(live, { of: async (sessionId) => recorded[sessionId] ?? null }) };
}

test('the grid of a race is the result of its own qualifying session', async () => {
  const { grids: known } = grids({
    '2026-miami-qualifying': outcome('finished', 'lando-norris', 'carlos-sainz'),
    '2026-miami-sprint-qualifying': outcome('finished', 'carlos-sainz', 'lando-norris'),
  });
  assert.deepEqual(await known.of('2026-miami', 'grand_prix'), ['lando-norris', 'carlos-sainz']);
  assert.deepEqual(await known.of('2026-miami', 'sprint'), ['carlos-sainz', 'lando-norris']);
  assert.equal(await known.of('2026-monaco', 'grand_prix'), null);
});

test('there is no grid before qualifying is over, nor from a recording that identifies no driver', async () => {
  const { grids: known } = grids({
    '2026-miami-qualifying': outcome('live', 'lando-norris', 'carlos-sainz'),
    '2026-monaco-qualifying': outcome('finished', null, null),
  });
  assert.equal(await known.of('2026-miami', 'grand_prix'), null);
  assert.equal(await known.of('2026-monaco', 'grand_prix'), null);
});

test('a live session gives the grid as soon as it is over, and takes precedence over a recording', async () => {
  const { live, grids: known } = grids({ '2026-miami-qualifying': outcome('finished', 'lando-norris') });
  live.set('2026-miami-qualifying', outcome('live', 'carlos-sainz'));
  assert.equal(await known.of('2026-miami', 'grand_prix'), null);
  live.set('2026-miami-qualifying', outcome('finished', 'carlos-sainz'));
  assert.deepEqual(await known.of('2026-miami', 'grand_prix'), ['carlos-sainz']);
});

test('while too many recordings are being read, a request fails with a Retry-After', async () => {
  const { grids: known } = grids({ '2026-miami-qualifying': 'busy' });
  await assert.rejects(known.of('2026-miami', 'grand_prix'), { code: 'unavailable', headers: { 'retry-after': '1' } });
});
