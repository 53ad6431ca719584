import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ODDS_FIT, oddsLoss } from '#bench/fit/odds-fit.ts';
import { FIT_SEASON_MAX, upTo } from '#bench/fit/previews.ts';
import { lapRaces } from '#bench/models/lap-races.ts';
import { tabledOddsCases } from '#bench/models/odds-history.ts';
import { LAPS } from '#bench/suite/shared-data.ts';
import odds from '#engine/racing/analytics/coefficients/odds.json' with { type: 'json' };
import { ODDS_SETTINGS } from '#engine/racing/analytics/odds-settings.ts';
import { realHistory } from '#test/support/real-history.ts';
import { WITHOUT_HISTORY } from '#test/support/shared-data.ts';

const SKIP = WITHOUT_HISTORY || (existsSync(LAPS) ? false : 'no tables of laps');

describe('the fit of live odds on real laps', { skip: SKIP }, () => {
  test('the file has the numbers of the fit: on the last season of it they beat a world without strengths, and one of equal circuits', () => {
    assert.equal(odds.method, ODDS_FIT.method);
    const cases = tabledOddsCases(LAPS, [FIT_SEASON_MAX], upTo(realHistory(), FIT_SEASON_MAX));
    const loss = oddsLoss(cases, ODDS_SETTINGS);
    assert.ok(loss < oddsLoss(cases, { ...ODDS_SETTINGS, strengthSeconds: [0, 0] }) - 0.05);
    assert.ok(loss < oddsLoss(cases, { ...ODDS_SETTINGS, passEase: 0 }) - 0.01);
  });

  test('a table gives the race: each driver completes the laps of the result, and stops as often as the history has it', () => {
    const race = lapRaces(LAPS, 2021, realHistory()).find(({ sessionId }) => sessionId === '2021-bahrain-race')!;
    assert.equal(race.laps, 56);
    const ofTopic = (topic: string) =>
      race.frames.filter((frame) => frame.topic === topic).map(({ json }) => JSON.parse(json));
    const winner = race.result[0]!.number;
    const lines = ofTopic('TimingData').flatMap(({ Lines }) => (Lines[winner] === undefined ? [] : [Lines[winner]]));
    assert.equal(lines.filter(({ NumberOfLaps }) => NumberOfLaps !== undefined).length, 56);
    const stops = race.weekend.pitStops.filter(({ number }) => number === winner).length;
    assert.equal(lines.filter(({ InPit }) => InPit === true).length, stops);
    assert.ok(race.frames.every(({ utcMs }, index) => index === 0 || utcMs >= race.frames[index - 1]!.utcMs));
  });
});
