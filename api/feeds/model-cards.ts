// The card of each model behind a feed. Figures are those of `npm run bench -- models`; a test holds them and
// docs/models.md to each other, and writes them: WRITE_CARDS=1 node --test test/bench/model-cards.test.ts

import type { MeasuredFigure, ModelCard } from '#schemas/http/model-card.ts';
import type { MATURITY } from '#schemas/webhook/maturity.ts';
import measured from './models-measured.json' with { type: 'json' };

export type ModelFeed = keyof typeof MATURITY;

const NO_2026 = 'No race of 2026 was measured.';

const WORDS: Readonly<Record<ModelFeed, Omit<ModelCard, 'measured'>>> = {
  'analytics.race-odds': {
    truth: 'The official result, among the cars that still raced.',
    notGoodAt:
      'The winner of sprints: not shown to be forecast better than by the smoothed order, but in 2024 before the last quarter. All ' +
      'places in recordings, three of which have no gaps and no lap times. The recordings of 2018 and 2020 are of races that ' +
      `the numbers were fitted to. Of Grands Prix since 2023 three were measured, all of 2025. ${NO_2026}`,
  },
  'analytics.championship': {
    truth: 'The points of the official places: those of teams, from the same odds as analytics.team-points.',
    notGoodAt: `What analytics.race-odds is not good at. Places in the championship were not measured. ${NO_2026}`,
  },
  'analytics.winning-margin': {
    truth: 'The official gap between the first two, unless the second car was lapped.',
    notGoodAt: `The first quarter, and Grands Prix, where it does not beat the line of the gap by two standard errors. ${NO_2026}`,
  },
  'analytics.team-points': {
    truth: 'The points of the official places of the cars that have odds.',
    notGoodAt: `Sprints, where some quarters are not better than the smoothed order by two standard errors. ${NO_2026}`,
  },
  'analytics.gap-projection': {
    truth: 'The gaps some laps later, of cars that did not stop, without a safety car between.',
    notGoodAt:
      'Not known: two races are too few. Its widths were fitted to the one of 2018, and one race has no standard error. ' +
      NO_2026,
  },
  'analytics.battle': {
    truth: 'The car behind was ahead at the end of one of the next laps; neither stopped, and racing was free.',
    notGoodAt: `Sprints, where three and five laps are not shown to be better in each season. ${NO_2026}`,
  },
  'analytics.pit-window': {
    truth: 'In-lap and out-lap against the same laps of cars that stayed out, on dry tires, under green.',
    notGoodAt:
      'The position after a stop: it foresees no stops of others, and in 2018 to 2021 was further off than losing a place to each car ' +
      `within 20 s. Stops in sprints are too few to tell, and those behind a safety car or in the rain were not measured. ${NO_2026}`,
  },
  'analytics.strategy': {
    truth: 'Stops with other tires until the end, of cars that finished.',
    notGoodAt: `The number of stops under new rules: in 2022 cars stopped more often than before. Sprints and rain were not measured. ${NO_2026}`,
  },
  'analytics.tire-strategy': {
    truth: 'A stop with other tires, and their compound.',
    notGoodAt: `The tires of 2022, which were new, and stops soon, of which it tells too few. Sprints and rain were not measured. ${NO_2026}`,
  },
  'analytics.sector-pace': {
    truth: 'The mean of a car’s next three laps in the sector, clean and without a stop.',
    notGoodAt:
      'A track that gets wet or dry: it is silent as long as a car is on rain tires, as in the Miami sprint of 2025, where it was far worse than ' +
      `the latest lap alone. Two dry recordings have sectors, too few to show that it is better. ${NO_2026}`,
  },
  'analytics.true-pace': {
    truth: 'The mean of a car’s next three laps, clean and on the same tires.',
    notGoodAt: `Sprints: in 2023 it was worse than the mean of the latest three laps. Its parts have no truth to compare with. ${NO_2026}`,
  },
  'analytics.tire-health': {
    truth:
      'How much slower three laps are than those five laps before, on the same tires, with the fuel burnt between.',
    notGoodAt: `Not shown to be better than one wear for all tires, in sprints neither. Its deviations are too small for other seasons than those they were fitted on: 80 % intervals held 61 % in 2022. ${NO_2026}`,
  },
  'analytics.safety-car': {
    truth: 'A real safety car was out on one of the next laps of the leader.',
    notGoodAt: `Five laps ahead, where it tells too little. Virtual safety cars are not counted. ${NO_2026}`,
  },
  'analytics.qualifying': {
    truth: 'Who took part in the next part, told as the second part starts, from the times of the first.',
    notGoodAt:
      'Telling who is safe or lost while laps are to come, and the end of a part, where the chances were chosen on the six recordings ' +
      'that it was tried on.',
  },
};

const MEASURED: Readonly<Record<string, readonly MeasuredFigure[]>> = measured as Record<string, MeasuredFigure[]>;

/** Undefined: the feed comes from no model. */
export function modelCardOf(feedId: string): ModelCard | undefined {
  const words = (WORDS as Readonly<Record<string, Omit<ModelCard, 'measured'>>>)[feedId];
  if (words === undefined) return undefined;
  const { truth, notGoodAt } = words;
  return { truth, measured: [...(MEASURED[feedId] ?? [])], notGoodAt };
}
