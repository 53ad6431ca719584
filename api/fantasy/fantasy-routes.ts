// GET /v1/fantasy...: estimated fantasy scores and times in the pit lane, for the plans that include them. Nothing is scored
// yet, so there is nothing to show for any race; which requests are refused is as it will be.

import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import type { PlanTerms } from '#api/plans/plan.ts';
import { LiveScores, PitTimes, RaceScores, RaceScoresQuery } from '#schemas/http/fantasy.ts';

export interface FantasyRoutes {
  readonly raceScores: Operation;
  readonly liveScores: Operation;
  readonly pitTimes: Operation;
}

const included = ({ fantasy }: PlanTerms) => fantasy;

export function fantasyRoutes(): FantasyRoutes {
  return {
    raceScores: bearerOperation(
      {
        summary: 'Read the fantasy scores of a completed race',
        included,
        query: RaceScoresQuery,
        answer: RaceScores,
        refuses: ['insufficient_tier', 'not_available'],
      },
      async () => {
        throw new ApiError('not_available', 'There are no scores of this race.');
      },
    ),

    liveScores: bearerOperation(
      {
        summary: 'Read the provisional fantasy scores of a live session',
        included,
        answer: LiveScores,
        refuses: ['insufficient_tier'],
      },
      async ({ params }) =>
        reply({
          data: {
            sessionId: params.sessionId!,
            live: false,
            provisional: false,
            currentLap: null,
            totalLaps: null,
            scores: [],
            message: 'This session is not live.',
          },
        }),
    ),

    pitTimes: bearerOperation(
      {
        summary: 'Read the times in the pit lane',
        included,
        answer: PitTimes,
        refuses: ['insufficient_tier', 'not_available'],
      },
      async () => {
        throw new ApiError('not_available', 'There are no pit-lane times of this session.');
      },
    ),
  };
}
