// The drivers of a chart, with the colours of their lines. One that is pointed at, focused or chosen comes forward.

import { text } from '../../../text/text.ts';
import type { Rgb } from './contrast.ts';
import type { Entrant } from './entrants.ts';
import { teamColour } from './use-ground.ts';

export interface LegendProps {
  readonly entrants: readonly Entrant[];
  readonly ground: Rgb;
  /** What stands beside each code: the value now. */
  readonly shownValue: (entrant: Entrant) => string;
  /** The racing number of the driver whose line stays forward; null: none. */
  readonly chosen: string | null;
  readonly onChoose: (number: string | null) => void;
  /** Null: none is pointed at any more. */
  readonly onPoint: (number: string | null) => void;
}

export function Legend({ entrants, ground, shownValue, chosen, onChoose, onPoint }: LegendProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div class="chart-legend" role="group" aria-label={text.panels.legend}>
      {entrants.map((entrant) => (
        <button
          key={entrant.number}
          type="button"
          title={entrant.name}
          aria-pressed={chosen === entrant.number}
          onMouseEnter={() => onPoint(entrant.number)}
          onMouseLeave={() => onPoint(null)}
          onFocus={() => onPoint(entrant.number)}
          onBlur={() => onPoint(null)}
          onClick={() => onChoose(chosen === entrant.number ? null : entrant.number)}
        >
          <span
            class={`chart-line${entrant.isSecond ? ' dashed' : ''}`}
            style={{ borderColor: teamColour(entrant, ground) }}
          />
          <span>{entrant.code}</span>
          <span class="soft">{shownValue(entrant)}</span>
        </button>
      ))}
    </div>
  );
}
