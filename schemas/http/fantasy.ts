// Estimated fantasy scores of completed and live sessions, and pit lane times. `schemas/fantasy/fantasy-rules.ts` has
// the rules.

import Type, { type TSchema } from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data } from './page.ts';

export const RaceScoresQuery = Type.Object({
  session: Type.Optional(choice(['race', 'sprint'], 'Default: race, the Grand Prix.')),
});

const DRIVER = {
  driver: Type.String({ description: "Slug of the driver's name." }),
  tla: Type.String({ description: 'Three-letter code; empty if unknown.' }),
  team: Type.String({ description: 'Team name, as in the feeds; empty if unknown.' }),
  constructorId: nullable(Type.String({ description: 'Slug of the team name, as in the feeds; null if unknown.' })),
};

const SCORING = {
  rules: Type.String({ description: 'Id of the scoring rules, such as `legacy-1`.' }),
  estimate: Type.Literal(true, { description: 'Scores are estimates, not the official scores of any fantasy game.' }),
};

const Attribution = nullable(Type.String({ description: 'Source of the race history; null if none was used.' }));

const points = (description: string) => Type.Number({ description });
const BREAKDOWN = {
  racePosPoints: points('For the finishing position; in a live session, for the current position.'),
  qualiPosPoints: points('For the qualifying position; 0 for a sprint.'),
  q3Bonus: points('For reaching the last part of qualifying; 0 for a sprint.'),
  positionsGained: points('Positions gained from the grid to the finish; negative if lost. Not part of the total.'),
  positionsGainedPoints: points('For positions gained or lost.'),
  fastestLapPoints: points('For the fastest lap; 0 for a sprint.'),
  beatTeammateRace: points('For finishing, or currently running, ahead of every other car of the team.'),
  beatTeammateQuali: points('For qualifying ahead of every other car of the team; 0 for a sprint.'),
  dnfPenalty: points('For a retirement or a disqualification.'),
  total: points('Sum of all points that are not null.'),
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
  return Type.Array(
    Type.Object({ ...DRIVER, breakdown: Type.Object(parts, { description: 'The points, by what they are for.' }) }),
    {
      description: 'Highest total first; ties by finishing position, then by name.',
    },
  );
}

export const RaceScores = data(
  Type.Object({
    raceId: Type.String({ description: 'For example, 2018-azerbaijan.' }),
    sessionType: choice(['grand_prix', 'sprint'], 'Which race of the weekend the scores are of.'),
    ...SCORING,
    source: choice(
      ['history', 'recording'],
      'history: the official result. recording: the order from the timing, until the race history has the result.',
    ),
    scores: scoreList(BREAKDOWN),
    message: nullable(Type.String({ description: 'A note about these scores.' })),
    attribution: Attribution,
  }),
);

export const LiveScores = data(
  Type.Object({
    sessionId: Type.String({ description: 'Id of the session.' }),
    live: Type.Boolean({
      description: 'True while the session runs, and shortly after its end while results may still be corrected.',
    }),
    provisional: Type.Boolean({ description: 'True while the scores can still change.' }),
    currentLap: nullable(Type.Integer({ description: "The leader's current lap." })),
    totalLaps: nullable(Type.Integer({ description: 'Number of laps in the session.' })),
    ...SCORING,
    scores: scoreList(LIVE_BREAKDOWN),
    message: nullable(Type.String({ description: 'Why there are no scores, or a note about them.' })),
  }),
);

const PitStop = Type.Object({
  ...DRIVER,
  lap: Type.Integer({ description: 'The lap that ended with the stop.' }),
  seconds: Type.Number({
    description: 'Time in the pit lane, from entry to exit. Longer than the time the car stood still.',
  }),
});

export const PitTimes = data(
  Type.Object({
    sessionId: Type.String({ description: 'Id of the session.' }),
    source: choice(['live', 'historical'], 'live during the session, historical after it.'),
    fastestStop: nullable({ ...PitStop, description: 'The first entry of `stops`; null if there are none.' }),
    stops: Type.Array(PitStop, {
      description: 'Fastest first. Excludes waits during a race interruption and any stay longer than five minutes.',
    }),
    attribution: Attribution,
  }),
);
