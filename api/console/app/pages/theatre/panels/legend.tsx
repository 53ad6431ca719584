// The drivers of a chart, with the colours of their lines. One that is pointed at, focused or chosen comes forward.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../../../text/text.ts';
import type { Rgb } from './contrast.ts';
import type { Entrant } from './entrants.ts';
import { teamColour } from './use-ground.ts';

export interface LegendRoom {
  readonly entrants: number;
  /** Of the longest value. */
  readonly characters: number;
}

export interface LegendProps {
  readonly entrants: readonly Entrant[];
  readonly ground: Rgb;
  /** What stands beside each code: the value now. */
  readonly shownValue: (entrant: Entrant) => string;
  /** The racing number of the driver whose line stays forward; null: none. */
  readonly chosen: string | null;
  readonly onChoose: (number: string | null) => void;
  /** For how many it has room, so that nothing moves when they come. */
  readonly room: LegendRoom;
  /** Null: none is pointed at any more. */
  readonly onPoint: (number: string | null) => void;
}

export function Legend({ entrants, ground, shownValue, chosen, onChoose, room, onPoint }: LegendProps) {
  const group = useKeptFocus();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div ref={group} class="chart-legend" role="group" aria-label={text.panels.legend} style={widthOf(room)}>
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
      <Places count={room.entrants - entrants.length} />
    </div>
  );
}

/** While drivers change places, the browser drops the focus of a button that is moved. */
function useKeptFocus() {
  const group = useRef<HTMLDivElement>(null);
  const active = document.activeElement;
  const held = group.current?.contains(active) === true ? (active as HTMLElement) : null;
  useLayoutEffect(() => {
    if (held !== null && document.activeElement !== held) held.focus({ preventScroll: true });
  });
  return group;
}

/** What a legend will take before anybody is in it. */
export function EmptyLegend({ room }: { readonly room: LegendRoom }) {
  return (
    <div class="chart-legend" style={widthOf(room)} aria-hidden="true">
      <Places count={room.entrants} />
    </div>
  );
}

function widthOf({ characters }: LegendRoom) {
  return { '--characters': `${characters}ch` };
}

function Places({ count }: { readonly count: number }) {
  return (
    <>
      {Array.from({ length: Math.max(0, count) }, (_, index) => (
        <span key={index} class="chart-place" aria-hidden="true" />
      ))}
    </>
  );
}
