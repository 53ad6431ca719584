// The card of a model: how good it was, beside what simple rule, on which races, and what it is not good at.

import Type, { type Static } from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';

/** Of one season at most, so that no good season hides a bad one. */
export const MeasuredFigure = Type.Object(
  {
    what: Type.String({ description: 'What was forecast, and the score. Lower is better in every score.' }),
    races: choice(
      ['grand_prix', 'sprint', 'recording', 'qualifying'],
      'What it was measured on. recording: whole races and sprints that were recorded. qualifying: sessions of qualifying.',
    ),
    season: Type.Integer({ description: 'The season of these races.' }),
    count: Type.Integer({ minimum: 1, description: 'How many races or sessions. Each counts once.' }),
    loss: Type.Number({ description: 'The score of the model, a mean over the races.' }),
    rule: Type.String({ description: 'The simple rule that it was compared with, on the same races.' }),
    difference: Type.Number({
      description: 'Score of the model less that of the rule; negative: the model was better.',
    }),
    standardError: nullable(
      Type.Number({
        minimum: 0,
        description: 'Standard error of `difference`, across races; null: there was one race.',
      }),
    ),
  },
  { title: 'MeasuredFigure' },
);
export type MeasuredFigure = Static<typeof MeasuredFigure>;

export const ModelCard = Type.Object(
  {
    truth: Type.String({ description: 'What its forecasts were held against.' }),
    measured: Type.Array(MeasuredFigure, {
      description: 'How good it was, on races that nothing was fitted to unless `notGoodAt` says so.',
    }),
    notGoodAt: Type.String({ description: 'Where it was not shown to be good, and what was not measured.' }),
  },
  { title: 'ModelCard', description: 'How good the model was. Only feeds that come from a model have one.' },
);
export type ModelCard = Static<typeof ModelCard>;
