// analytics.pit-window: what a stop now would cost, and what it would gain.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';
import { Nullable } from './nullable.ts';

const CLOSED = { additionalProperties: false };

const Rejoin = Type.Object(
  {
    position: Type.Integer({ description: 'Expected position after the stop.' }),
    position10: Type.Integer({ description: 'The best likely position: better in at most one case of ten.' }),
    position90: Type.Integer({ description: 'The worst likely position: worse in at most one case of ten.' }),
    aheadNumber: Nullable(Type.String({ description: 'Racing number of the car then ahead; null: none.' })),
    gapToAheadSeconds: Nullable(Type.Number({ description: 'Gap to the car then ahead; null: none.' })),
    behindNumber: Nullable(Type.String({ description: 'Racing number of the car then behind; null: none.' })),
    gapToBehindSeconds: Nullable(Type.Number({ description: 'Gap to the car then behind; null: none.' })),
    isInTraffic: Type.Boolean({ description: 'Whether a car would be less than two seconds ahead on the road.' }),
  },
  {
    ...CLOSED,
    description:
      'The situation after a stop now; null: the gap of this car, or of a car behind, is not known in seconds.',
  },
);

const Window = Type.Object(
  {
    state: Type.Union([Type.Literal('not_yet'), Type.Literal('open'), Type.Literal('overdue')], {
      description:
        'Whether the current lap is before or in the window. overdue: three of four stops were foreseen earlier, when these tires were first seen.',
    }),
    fromLap: Type.Integer({
      description: 'Lap by the end of which the next stop has come with a chance of 25 %, given that there is one.',
    }),
    toLap: Type.Integer({ description: 'The same with a chance of 75 %.' }),
    uncertaintyLaps: Type.Number({ description: 'Standard deviation of the lap of that stop.' }),
  },
  { ...CLOSED, description: 'When a stop is due; null: less likely than none, in the pits, or tires not known.' },
);

function undercut(description: string) {
  return Type.Object(
    {
      number: Type.String({ description: 'Racing number of the other car.' }),
      gapSeconds: Type.Number({ description: 'Gap between the two cars now.' }),
      gainSeconds: Type.Number({ description: 'What the car behind gains by stopping a lap earlier.' }),
      uncertaintySeconds: Type.Number({ description: 'Standard deviation of gainSeconds.' }),
      probability: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Chance that the car behind is ahead after both have stopped.',
      }),
    },
    { ...CLOSED, description },
  );
}

export const PitWindowDriver = DriverEntry({
  rejoin: Nullable(Rejoin),
  window: Nullable(Window),
  undercut: Nullable(undercut('Undercut of the car ahead by stopping a lap earlier; null: out of reach or not known.')),
  threat: Nullable(undercut('Undercut by the car behind; null: out of reach or not known.')),
});

export type PitWindowDriver = Type.Static<typeof PitWindowDriver>;

export const PitWindowPayload = AnalyticsPayload(
  'analytics.pit-window',
  {
    reports: 'What a stop now would cost, and what it would gain.',
    method:
      "the loss of a stop is the median of this race's stops, each measured against cars that stayed out, drawn " +
      'towards what stops at the circuit cost from 2018 to 2021; 81 % of that behind a safety car, 71 % behind a virtual one. ' +
      'The place where a car rejoins follows from the gaps, the window from the chances of a stop (see ' +
      'analytics.strategy), and an undercut from paces and wear.',
    limits:
      'other cars that stop at the same time, penalties and slow stops are not predicted. Behind a safety car gaps ' +
      'close while a car stops, so positions are less accurate. The compound of the new tires is not known. Nothing ' +
      'is sent under a red flag. Undercuts are given only under green and before the last three laps.',
    measured:
      'the window: as nextStopLap of analytics.strategy. The loss: in the Grands Prix of 2022, left out of the fit, the loss of 476 stops under green was off by 2.7 s; the usual loss ' +
      'by 3.5 s. Two laps after a stop at Baku 2018 the position was right within one place for 82 % of 11 stops under green ' +
      'and 61 % of 18 behind a safety car. A simple rule, losing a place to each car within 20 s behind, gave 91 % ' +
      'and 50 %. In the 2025 Miami sprint, on a drying track, it was 24 % of 17 stops; the simple rule gave 29 %.',
  },
  {
    session: Type.Object(
      {
        status: Type.Union([Type.Literal('green'), Type.Literal('safety_car'), Type.Literal('virtual_safety_car')], {
          description: 'Track status.',
        }),
        pitLossSeconds: Type.Number({ description: 'Time lost by a stop now, against staying out.' }),
        pitLossUncertaintySeconds: Type.Number({ description: 'Standard deviation of the loss of the next stop.' }),
        stopsMeasured: Type.Integer({ description: 'Stops of this race under this status behind the estimate.' }),
        savedSeconds: Type.Number({ description: 'Time saved by a stop now, against one under green.' }),
      },
      { ...CLOSED, description: 'Figures for all cars.' },
    ),
    drivers: Type.Array(PitWindowDriver),
  },
);
