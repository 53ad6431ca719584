// The tower after a move: what the states of a place show is what every update up to there has shown.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownUpdate } from '#api/console/app/pages/theatre/show/shown-update.ts';
import { Stage } from '#api/console/app/pages/theatre/show/stage.ts';
import { TowerFold } from '#api/console/app/pages/theatre/tower/tower-fold.ts';
import { deriveRace } from '#bench/load/race-slice.ts';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

test('after a move every driver has the position, the gap and the tires of that place', () => {
  const race = deriveRace('demo');
  const states = new FoldedStates();
  const played = new TowerFold();
  played.reset();
  const places = new Set([0.1, 0.3, 0.5, 0.7, 0.9, 1].map((share) => Math.round(share * race.length)));
  for (let position = 0; position < race.length; position++) {
    const text = Buffer.from(race.body(position)).toString();
    played.take(shownUpdate(race.feedId(position), JSON.parse(text), text.length));
    if (!places.has(position + 1)) continue;
    const moved = new TowerFold();
    const stage = new Stage('demo-race', [moved], { value: 0 }, () => {});
    const feedIds = FEEDS.map(({ feedId }) => feedId);
    stage.takeStates(states.at('race', race, position + 1, feedIds)!.map((state) => JSON.parse(state)));
    const shown = ({ order }: TowerFold) =>
      order.map(({ number, position: place, gap, compound, stops }) => [number, place, gap, compound, stops]);
    assert.deepEqual(shown(moved), shown(played), `after ${position + 1} updates`);
  }
});
