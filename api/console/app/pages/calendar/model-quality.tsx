// How good the model of a preview was in past races: in plain words, with the figures behind them.

import type { Preview } from '#api/client/calls.ts';
import { text } from '../../text/text.ts';
import { percent, plainQuality } from './chances.ts';

const t = text.calendar;

export function ModelQuality({ model }: { readonly model: Preview['model'] }) {
  const { quality, baseline, version, method } = model;
  const { given, simpleGiven, verdict, seasons } = plainQuality(model);
  const figures: readonly (readonly [string, string])[] = [
    [t.winnerLogLoss, String(quality.winnerLogLoss)],
    [t.baselineLogLoss, String(baseline.winnerLogLoss)],
    [t.difference, t.differenceValue(String(baseline.difference), String(baseline.standardError))],
    [t.winnerBrier, String(quality.winnerBrier)],
    [t.placesRps, String(quality.placesRps)],
    [t.calibrationError, String(quality.calibrationError)],
    ...quality.bySeason.map(({ season, races, winnerLogLoss, baseline: { difference, standardError } }) => {
      const beside = t.differenceValue(String(difference), String(standardError));
      return [t.seasonLogLoss(season, races), `${winnerLogLoss}; ${beside}`] as const;
    }),
  ];
  return (
    <section class="card">
      <h2>{t.qualityTitle}</h2>
      <p>
        {t.measured(quality.races, seasons === null ? '' : t.seasonsOf(seasons.first, seasons.last), quality.gridKnown)}
      </p>
      <p>
        {t.given(percent(given), percent(simpleGiven), t.baselines[baseline.name])} {t.verdicts[verdict]}
      </p>
      <p>{t.calibration((100 * quality.calibrationError).toFixed(1))}</p>
      <details>
        <summary>{t.figures}</summary>
        <div class="stack tight">
          <div class="table-scroll">
            <table class="table small">
              <caption class="sr-only">{t.figures}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.figure}</th>
                  <th scope="col" class="number">
                    {t.value}
                  </th>
                </tr>
              </thead>
              <tbody>
                {figures.map(([label, value]) => (
                  <tr key={label}>
                    <td>{label}</td>
                    <td class="number">{value}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p class="small soft">{t.lowerIsBetter}</p>
        </div>
      </details>
      <details>
        <summary>{t.method}</summary>
        <p class="small">{method}</p>
        <p class="small soft">{t.model(version)}</p>
      </details>
    </section>
  );
}
