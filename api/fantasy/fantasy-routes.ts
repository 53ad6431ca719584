// GET /v1/fantasy...: estimated fantasy scores and pit lane times, for the plans that include them.

import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import type { PlanTerms } from '#api/plans/plan.ts';
import { LiveScores, PitTimes, RaceScores, RaceScoresQuery } from '#schemas/http/fantasy.ts';
import type { ScoreBook } from './score-book.ts';

export interface FantasyRoutes {
  readonly raceScores: Operation;
  readonly liveScores: Operation;
  readonly pitTimes: Operation;
}

const included = ({ fantasy }: PlanTerms) => fantasy;

export function fantasyRoutes(scoreBook: ScoreBook): FantasyRoutes {
  return {
    raceScores: bearerOperation(
      {
        summary: 'Read the fantasy scores of a completed race',
        included,
        query: RaceScoresQuery,
        answer: RaceScores,
        takesTurns: true,
        refuses: ['insufficient_tier', 'not_available'],
      },
      async ({ params, query }) => {
        const sessionType = query.session === 'sprint' ? 'sprint' : 'grand_prix';
        return reply({ data: await scoreBook.race({ raceId: params.raceId!, sessionType }) });
      },
    ),

    liveScores: bearerOperation(
      {
        summary: 'Read the provisional fantasy scores of a live session',
        included,
        answer: LiveScores,
        takesTurns: true,
        refuses: ['insufficient_tier'],
      },
      async ({ params }) => reply({ data: await scoreBook.live(params.sessionId!) }),
    ),

    pitTimes: bearerOperation(
      {
        summary: 'Read the pit lane times of a session',
        included,
        answer: PitTimes,
        takesTurns: true,
        refuses: ['insufficient_tier', 'not_available'],
      },
      async ({ params }) => reply({ data: await scoreBook.pitTimes(params.sessionId!) }),
    ),
  };
}
