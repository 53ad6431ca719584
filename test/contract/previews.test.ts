// "Predictions" of the interface, from the real history. It is not part of the project: without it, these tests are skipped.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FORECAST_METHOD, FORECAST_MODEL_VERSION } from '#engine/seasons/forecast/measured-quality.ts';
import { HISTORY_ATTRIBUTION } from '#engine/seasons/history/history.ts';
import { sessionPath } from '#test/racing/real-sessions.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { F1DB, WITHOUT_HISTORY } from '#test/support/shared-data.ts';
import { IN_SEASON } from './short-session.ts';

const PARTS = [
  'winProbability',
  'qualifyingProbability',
  'expectedStrategy',
  'circuitIntelligence',
  'championshipForm',
] as const;

const service = await contractService({ after }, IN_SEASON);
const { sql, admin } = service;
const [free, developer, custom] = [
  await service.client('free'),
  await service.client('developer'),
  await service.client('custom'),
] as const;

type Chances = readonly Readonly<Record<string, number>>[];

function sumOf(entries: Chances, field: string): number {
  return entries.reduce((sum, entry) => sum + entry[field]!, 0);
}

function assertSum(entries: Chances, field: string, expected: number): void {
  assert.ok(Math.abs(sumOf(entries, field) - expected) < 1e-9, `${field} sums to ${sumOf(entries, field)}`);
}

async function previewOf(client: ContractClient, sessionId: string) {
  const { status, body } = await client.call('GET', `/preview/${sessionId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

describe('previews from the real history', { skip: WITHOUT_HISTORY }, () => {
  before(async () => {
    const list = await free.call('GET', '/preview/upcoming');
    assert.match(list.body.data.message, /need the race history/);
    await admin(['import', 'history', F1DB]);
    await admin(['import', 'calendar', F1DB, '--season', '2026']);
    // Moves the season so that its tenth race was yesterday.
    await sql`update calendar_session set start_at = start_at + shift, end_at = end_at + shift from (
    select now() - interval '1 day' - start_at as shift from calendar_session join calendar_event using (event_id)
    where season = 2026 and round = 10 and type = 'Race') tenth`;
  });

  test('GET /preview/upcoming: lists the next scoring sessions, soonest first, at most eight', async () => {
    const { status, body } = await developer.call('GET', '/preview/upcoming');
    assert.equal(status, 200);
    const { events } = (await developer.call('GET', '/events')).body.data;
    const toCome = events
      .flatMap(({ sessions }: { sessions: Record<string, string>[] }) => sessions)
      .filter(({ type, status }: Record<string, string>) => /^(Race|Sprint)$/.test(type!) && status === 'upcoming')
      .toSorted((a: Record<string, string>, b: Record<string, string>) => (a.startDate! < b.startDate! ? -1 : 1));
    assert.ok(toCome.length > 8);
    const { previews, message } = body.data;
    assert.deepEqual(
      previews.map(({ sessionId, type, startDate, status }: Record<string, string>) => ({
        ...{ sessionId, type, startDate, status },
      })),
      toCome.slice(0, 8),
    );
    assert.equal(message, null);
    const headlines = (await free.call('GET', '/preview/upcoming')).body.data.previews;
    assert.deepEqual(
      headlines,
      previews.map((preview: Record<string, unknown>) => {
        const shown = Object.entries(preview).filter(([field]) => !(PARTS as readonly string[]).includes(field));
        return { ...Object.fromEntries(shown), view: 'headline' };
      }),
    );
    for (const preview of previews) assert.deepEqual(await previewOf(developer, preview.sessionId), preview);
  });

  test('GET /preview/:sessionId: Free gets a reduced headline view, paid plans the full object', async () => {
    for (const sessionId of ['2026-las-vegas-race', '2018-azerbaijan-race', '2025-miami-sprint-qualifying']) {
      const headline = await previewOf(free, sessionId);
      const full = await previewOf(developer, sessionId);
      assert.deepEqual(await previewOf(custom, sessionId), full);
      for (const part of PARTS) assert.deepEqual([part in headline, part in full], [false, true], part);
      assert.deepEqual([headline.view, full.view], ['headline', 'full']);
      assert.deepEqual(full.headline, headline.headline);
      assert.deepEqual(
        headline.headline.winners.map(({ driver, win }: Record<string, unknown>) => [driver, win]),
        full.winProbability.slice(0, 3).map(({ driver, win }: Record<string, unknown>) => [driver, win]),
      );
      assert.equal(headline.headline.poleFavourite.pole, full.qualifyingProbability[0].pole);
      assert.equal(full.attribution, HISTORY_ATTRIBUTION);
    }
  });

  test('Preview: the probabilities of exclusive outcomes sum to one, and the likeliest winner is first', async () => {
    const sessions = ['2026-las-vegas-race', '2018-azerbaijan-race', '2025-miami-sprint', '2014-australia-qualifying'];
    for (const sessionId of sessions) {
      const preview = await previewOf(custom, sessionId);
      const { winProbability, qualifyingProbability, expectedStrategy, championshipForm } = preview;
      assertSum(winProbability, 'win', 1);
      assertSum(winProbability, 'podium', 3);
      assertSum(qualifyingProbability, 'pole', 1);
      assertSum(expectedStrategy.stops.length === 0 ? [{ probability: 1 }] : expectedStrategy.stops, 'probability', 1);
      assertSum(championshipForm.drivers, 'titleProbability', 1);
      assertSum(championshipForm.constructors, 'titleProbability', 1);
      assert.deepEqual(
        winProbability,
        winProbability.toSorted((a: { win: number }, b: { win: number }) => b.win - a.win),
      );
      assert.ok(winProbability.length >= 20);
      for (const { driver, tla, name, team } of winProbability) {
        assert.match(driver, /^[a-z]+(-[a-z]+)*$/);
        assert.match(tla, /^[A-Z]{3}$/);
        for (const text of [name, team]) assert.match(text, /^\p{Lu}/u);
      }
    }
  });

  test('Preview of a past session: uses only what was known before it, with the grid for a race and without it for qualifying', async () => {
    const race = await previewOf(custom, '2018-azerbaijan-race');
    assert.deepEqual([race.status, race.generatedFrom.learntTo], ['finished', '2018-china']);
    assert.match(race.message, /dates from before it/);
    const [pole] = race.winProbability.filter(({ gridPosition }: { gridPosition: number }) => gridPosition === 1);
    assert.equal(pole.driver, 'sebastian-vettel');
    assert.equal(race.championshipForm.drivers[0].driver, 'sebastian-vettel');
    assert.deepEqual(race.championshipForm.drivers[0].latest[0], { eventId: '2018-china', position: 8, points: 4 });
    const qualifying = await previewOf(custom, '2018-azerbaijan-qualifying');
    assert.deepEqual([qualifying.generatedFrom.gridKnown, qualifying.status], [false, 'finished']);
    assert.deepEqual([race.model.quality.gridKnown, qualifying.model.quality.gridKnown], [true, false]);
    for (const { version, method, baseline, quality } of [race.model, qualifying.model]) {
      assert.deepEqual([version, method], [FORECAST_MODEL_VERSION, FORECAST_METHOD]);
      assert.ok(Math.abs(quality.winnerLogLoss - baseline.winnerLogLoss - baseline.difference) < 0.002);
    }
    assert.ok(qualifying.winProbability.every(({ gridPosition }: { gridPosition: null }) => gridPosition === null));
  });

  test('Preview of a race whose qualifying is recorded: starts from the grid of that qualifying', async () => {
    const before = await previewOf(custom, '2026-austria-race');
    assert.deepEqual([before.generatedFrom.gridKnown, before.generatedFrom.gridFrom], [false, null]);
    await admin(['import', 'recording', sessionPath('2026-austria-qualifying')]);
    const { generatedFrom, winProbability } = await previewOf(custom, '2026-austria-race');
    assert.deepEqual([generatedFrom.gridKnown, generatedFrom.gridFrom], [true, 'qualifying']);
    const grid = winProbability.toSorted(
      (a: { gridPosition: number }, b: { gridPosition: number }) => a.gridPosition - b.gridPosition,
    );
    const listed = grid.map(({ driver, name, team }: Record<string, string>) => `${driver}, ${name}, ${team}`);
    assert.equal(listed.length, 22);
    assert.equal(listed[0], 'george-russell, George Russell, Mercedes');
    assert.equal(listed[16], 'carlos-sainz, Carlos Sainz Jr., Williams');
    const qualifying = await previewOf(custom, '2026-austria-qualifying');
    assert.equal(qualifying.generatedFrom.gridKnown, false);
  });

  test('GET /preview/:sessionId: gives 401 without a token, and 404 for practice, unknown sessions and a sprint that was not held', async () => {
    for (const path of ['/preview/upcoming', '/preview/2018-azerbaijan-race']) {
      assert.equal((await service.call('GET', path)).status, 401);
    }
    for (const sessionId of [
      '2018-azerbaijan-practice-1',
      '2026-nowhere-race',
      '2018-azerbaijan-sprint',
      'demo-race',
    ]) {
      const { status, body } = await custom.call('GET', `/preview/${sessionId}`);
      assert.deepEqual([status, body.code], [404, 'not_available'], sessionId);
      assert.match(body.error, /GET \/v1\/preview\/upcoming/);
    }
  });

  test('a history that is imported while the service runs is used for the next preview', async () => {
    const sessionId = '2026-las-vegas-race';
    const first = await previewOf(custom, sessionId);
    assert.deepEqual(await previewOf(custom, sessionId), first);
    const folder = join(service.dataDir, 'other-history');
    cpSync(F1DB, folder, { recursive: true });
    const circuits = join(folder, 'f1db-circuits.csv');
    writeFileSync(circuits, readFileSync(circuits, 'utf8').replaceAll('Las Vegas', 'Lost Wages'));
    await admin(['import', 'history', folder]);
    const second = await previewOf(custom, sessionId);
    assert.notEqual(second.generatedFrom.release, first.generatedFrom.release);
    assert.match(second.circuitName, /Lost Wages/);
    await admin(['import', 'history', F1DB]);
    assert.deepEqual(await previewOf(custom, sessionId), first);
  });
});
