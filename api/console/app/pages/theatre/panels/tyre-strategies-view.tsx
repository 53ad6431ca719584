// A bar for each driver: its stints by tyre, as long as their laps.

import { text } from '../../../text/text.ts';
import type { Panel } from '../show/fold.ts';
import type { Strategy, TyreStrategies } from './tyre-strategies.ts';
import { useDrawing } from './use-drawing.ts';

export function tyreStrategiesView(fold: TyreStrategies): Panel['View'] {
  return function TyreStrategiesView({ theatre }) {
    const place = useDrawing(theatre, () => fold.version);
    const strategies = fold.strategies();
    const driven = strategies.map(lapsOf);
    const laps = Math.max(1, fold.totalLaps ?? 0, ...driven);
    return (
      <div ref={place} class="strategies-room">
        {strategies.length === 0 ? (
          <p class="soft">{text.panels.tyresNone}</p>
        ) : (
          <ul class="strategies" aria-label={text.panels.tyresLabel}>
            {strategies.map((strategy) => (
              <StrategyRow key={strategy.entrant.number} strategy={strategy} laps={laps} />
            ))}
          </ul>
        )}
      </div>
    );
  };
}

function StrategyRow({ strategy, laps }: { readonly strategy: Strategy; readonly laps: number }) {
  const { entrant, stints, stops } = strategy;
  return (
    <li>
      <span class="strategy-code" title={entrant.name}>
        {entrant.code}
      </span>
      <ol class="strategy-bar">
        {stints.map(({ compound, isNew, laps: driven }, index) => {
          const words = text.panels.stint(text.panels.compounds[compound], driven, isNew);
          return (
            <li key={index} class={`stint on-${compound}`} title={words} style={{ width: `${(driven / laps) * 100}%` }}>
              <span class="sr-only">{words}</span>
              <span aria-hidden="true">
                {text.panels.compoundLetters[compound]} {driven}
              </span>
            </li>
          );
        })}
      </ol>
      <span class="strategy-stops small soft" title={stops.length > 0 ? text.panels.stopTimes(stops) : undefined}>
        {text.panels.stops(stints.length - 1)}
      </span>
      {stops.length > 0 && <span class="sr-only">{text.panels.stopTimes(stops)}</span>}
    </li>
  );
}

function lapsOf({ stints }: Strategy): number {
  return stints.reduce((sum, { laps }) => sum + laps, 0);
}
