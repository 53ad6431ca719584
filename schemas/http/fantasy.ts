// Estimated fantasy scores of completed and live sessions, and times in the pit lane.

import Type from 'typebox';
import { choice } from './choice.ts';
import { nullable } from './nullable.ts';
import { data } from './page.ts';

export const RaceScoresQuery = Type.Object({
  session: Type.Optional(choice(['race', 'sprint'], 'The Grand Prix unless given.')),
});

const DRIVER = {
  driver: Type.String({ description: 'The slug of the name.' }),
  tla: Type.String(),
  team: Type.String(),
};

export const RaceScores = data(
  Type.Object({
    raceId: Type.String(),
    sessionType: choice(['grand_prix', 'sprint']),
    scores: Type.Array(
      Type.Object({
        ...DRIVER,
        breakdown: Type.Object({
          racePosPoints: Type.Number(),
          qualiPosPoints: Type.Number(),
          q3Bonus: Type.Number(),
          positionsGained: Type.Number(),
          positionsGainedPoints: Type.Number(),
          fastestLapPoints: Type.Number(),
          beatTeammateRace: Type.Number(),
          beatTeammateQuali: Type.Number(),
          dnfPenalty: Type.Number(),
          total: Type.Number(),
        }),
      }),
      { description: 'By total, highest first.' },
    ),
  }),
);

const AtTheEnd = nullable(Type.Number({ description: 'Null until the session ends.' }));

export const LiveScores = data(
  Type.Object({
    sessionId: Type.String(),
    live: Type.Boolean(),
    provisional: Type.Boolean(),
    currentLap: nullable(Type.Integer()),
    totalLaps: nullable(Type.Integer()),
    scores: Type.Array(
      Type.Object({
        ...DRIVER,
        breakdown: Type.Object({
          racePosPoints: Type.Number(),
          qualiPosPoints: AtTheEnd,
          q3Bonus: AtTheEnd,
          positionsGained: AtTheEnd,
          positionsGainedPoints: AtTheEnd,
          fastestLapPoints: AtTheEnd,
          beatTeammateRace: Type.Number(),
          beatTeammateQuali: AtTheEnd,
          dnfPenalty: Type.Number(),
          total: Type.Number(),
        }),
      }),
    ),
    message: nullable(Type.String({ description: 'Why there are no scores.' })),
  }),
);

const PitStop = Type.Object({ ...DRIVER, lap: Type.Integer(), seconds: Type.Number() });

export const PitTimes = data(
  Type.Object({
    sessionId: Type.String(),
    source: choice(['live', 'historical']),
    fastestStop: nullable(PitStop),
    stops: Type.Array(PitStop, { description: 'Fastest to slowest.' }),
  }),
);
