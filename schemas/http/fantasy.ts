// Estimated fantasy scores of completed and live sessions, and times in the pit lane. The rules are in
// `schemas/fantasy/fantasy-rules.ts`.

import Type, { type TSchema } from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data } from './page.ts';

export const RaceScoresQuery = Type.Object({
  session: Type.Optional(choice(['race', 'sprint'], 'The Grand Prix unless given.')),
});

const DRIVER = {
  driver: Type.String({ description: 'The slug of the name.' }),
  tla: Type.String({ description: 'Three letters; empty where they are not known.' }),
  team: Type.String({ description: 'As the history or the timing calls it; empty where it is not known.' }),
};

const SCORING = {
  rules: Type.String({ description: 'Id of the set of rules, such as `legacy-1`.' }),
  estimate: Type.Literal(true, { description: 'Scores are estimates: they are those of no operator of a game.' }),
};

const Attribution = nullable(Type.String({ description: 'Where the history came from; null where none was used.' }));

const points = (description: string) => Type.Number({ description });
const BREAKDOWN = {
  racePosPoints: points('For the finishing place; while the session goes on, for the place at the moment.'),
  qualiPosPoints: points('For the place in qualifying; 0 for a sprint.'),
  q3Bonus: points('For reaching the last part of qualifying; 0 for a sprint.'),
  positionsGained: points('Places, from the grid to the finish; below 0 when lost. Not in the total.'),
  positionsGainedPoints: points('For places gained or lost.'),
  fastestLapPoints: points('For the fastest lap; 0 for a sprint.'),
  beatTeammateRace: points('For finishing, or being, ahead of all cars of the same team.'),
  beatTeammateQuali: points('For qualifying ahead of all cars of the same team; 0 for a sprint.'),
  dnfPenalty: points('For not finishing or being disqualified.'),
  total: points('Sum of the points that are not null.'),
};
const LIVE_BREAKDOWN = {
  ...BREAKDOWN,
  qualiPosPoints: untilTheEnd(BREAKDOWN.qualiPosPoints),
  q3Bonus: untilTheEnd(BREAKDOWN.q3Bonus),
  positionsGained: untilTheEnd(BREAKDOWN.positionsGained),
  positionsGainedPoints: untilTheEnd(BREAKDOWN.positionsGainedPoints),
  fastestLapPoints: untilTheEnd(BREAKDOWN.fastestLapPoints),
  beatTeammateQuali: untilTheEnd(BREAKDOWN.beatTeammateQuali),
};

function untilTheEnd<Schema extends TSchema & { readonly type: 'number'; readonly description?: string }>(
  schema: Schema,
) {
  return nullable({ ...schema, description: `${schema.description} Null until the session ends.` });
}

function scoreList<Parts extends Readonly<Record<string, TSchema>>>(parts: Parts) {
  return Type.Array(Type.Object({ ...DRIVER, breakdown: Type.Object(parts) }), {
    description: 'By total, highest first; equal ones by finishing place, then by name.',
  });
}

export const RaceScores = data(
  Type.Object({
    raceId: Type.String({ description: 'Such as 2018-azerbaijan.' }),
    sessionType: choice(['grand_prix', 'sprint']),
    ...SCORING,
    source: choice(
      ['history', 'recording'],
      'history: the official result. recording: the order that the timing told, as long as the history has no result.',
    ),
    scores: scoreList(BREAKDOWN),
    message: nullable(Type.String({ description: 'What to know about these scores.' })),
    attribution: Attribution,
  }),
);

export const LiveScores = data(
  Type.Object({
    sessionId: Type.String(),
    live: Type.Boolean({
      description: 'The session goes on, or has just ended and its results may still be corrected.',
    }),
    provisional: Type.Boolean({ description: 'The scores can still change.' }),
    currentLap: nullable(Type.Integer({ description: 'Lap that the leader is on.' })),
    totalLaps: nullable(Type.Integer({ description: 'Laps of the session.' })),
    ...SCORING,
    scores: scoreList(LIVE_BREAKDOWN),
    message: nullable(Type.String({ description: 'Why there are no scores, or what to know about them.' })),
  }),
);

const PitStop = Type.Object({
  ...DRIVER,
  lap: Type.Integer({ description: 'Lap at whose end it was.' }),
  seconds: Type.Number({ description: 'Time in the pit lane, entry to exit; not the time that the car stood.' }),
});

export const PitTimes = data(
  Type.Object({
    sessionId: Type.String(),
    source: choice(['live', 'historical'], 'live during the session, historical afterwards.'),
    fastestStop: nullable({ ...PitStop, description: 'The first of the stops; null when there are none.' }),
    stops: Type.Array(PitStop, {
      description:
        'Fastest to slowest. Waiting in the pit lane while a race is interrupted is left out, as is any stay of more than five minutes.',
    }),
    attribution: Attribution,
  }),
);
