// analytics.winning-margin: by how much the race may be won.

import Type from 'typebox';
import { AnalyticsPayload } from './analytics-payload.ts';
import { DriverEntry } from './driver.ts';

const CLOSED = { additionalProperties: false };
const Probability = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Seconds = (description: string) => Type.Number({ minimum: 0, description });

export const WinningMarginDriver = DriverEntry({
  winProbability: Probability('Chance of a win, as in analytics.race-odds.'),
  marginIfWins: Type.Object(
    {
      p10Seconds: Seconds('10 % quantile of the margin, if this driver wins.'),
      p50Seconds: Seconds('Median of the same.'),
      p90Seconds: Seconds('90 % quantile of the same.'),
    },
    CLOSED,
  ),
});

export type WinningMarginDriver = Type.Static<typeof WinningMarginDriver>;

export const WinningMarginPayload = AnalyticsPayload(
  'analytics.winning-margin',
  {
    reports:
      'By how much the race may be won, and by how much each driver who has a chance of 1 % and more may win it. Sent after ' +
      'each analytics.race-odds.',
    method:
      'the times behind analytics.race-odds give the gap between winner and second car exactly, without random draws. The more ' +
      'of the race is to come, the more counts what margins followed such a gap between the first two cars. Fitted to the ' +
      'Grands Prix of 2018 to 2021.',
    limits:
      'those of analytics.race-odds. Penalties are not foreseen. Rain is not known. Nothing is sent while the gap of the ' +
      'second car is not reported.',
    measured:
      'on the 22 Grands Prix of 2022, left out of the fit, the RPS of the margin was 0.128, less than that of a line of the ' +
      'gap now by 0.005 (standard error 0.004): not shown to be better. In the last quarter it was less by 0.014 (0.011), ' +
      'in the first more by 0.004 (0.004).',
  },
  {
    session: Type.Object(
      {
        lapsLeft: Type.Integer({
          description: 'Laps the leader still has to complete, including the current one.',
        }),
        gapSeconds: Seconds('Gap between the first two cars now.'),
        margin: Type.Object(
          {
            p10Seconds: Seconds('10 % quantile of the margin.'),
            p25Seconds: Seconds('25 % quantile.'),
            p50Seconds: Seconds('Median.'),
            p75Seconds: Seconds('75 % quantile.'),
            p90Seconds: Seconds('90 % quantile.'),
          },
          { ...CLOSED, description: 'Time from the winner to the second car at the end of the race.' },
        ),
        within: Type.Array(
          Type.Object(
            {
              seconds: Seconds('A margin.'),
              probability: Probability('Chance that the margin is at most that.'),
            },
            CLOSED,
          ),
          { description: 'Chances of margins, smallest first.' },
        ),
      },
      { ...CLOSED, description: 'Figures for the race.' },
    ),
    drivers: Type.Array(WinningMarginDriver),
  },
);
