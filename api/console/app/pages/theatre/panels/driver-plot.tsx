// A line for each driver, with a legend that brings one forward.

import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { Plot } from '../../../parts/uplot-plot.tsx';
import type { Entrant } from './entrants.ts';
import { EmptyLegend, Legend, type LegendRoom } from './legend.tsx';
import { teamColour, useGround } from './use-ground.ts';

const HEIGHT_PX = 300;
const WIDTH_PX = 2;
const DASH = [6, 4];
/** How strong the other lines are while one is forward. */
const BEHIND_ALPHA = 0.15;

/** Values between gaps, which no line reaches. */
function alone({ data }: uPlot, at: number): number[] {
  const column = data[at]!;
  return [...column.keys()].filter(
    (index) => column[index] != null && column[index - 1] == null && column[index + 1] == null,
  );
}

export interface DriverPlotProps {
  readonly label: string;
  /** In the order of the columns of `data`, after x. */
  readonly entrants: readonly Entrant[];
  readonly data: uPlot.AlignedData;
  readonly shownValue: (entrant: Entrant) => string;
  /** The racing number of the driver whose line stays forward; null: none. */
  readonly chosen: Signal<string | null>;
  /** In the order of the legend. */
  readonly order: readonly Entrant[];
  readonly room: LegendRoom;
  /** Scales, axes and cursor. Must not change. */
  readonly frame: Pick<uPlot.Options, 'scales' | 'axes'>;
}

export function DriverPlot({ label, entrants, data, shownValue, chosen, order, room, frame }: DriverPlotProps) {
  const ground = useGround();
  const plot = useRef<uPlot | null>(null);
  const forward = useRef((_number: string | null): void => {});
  const lines = entrants.map((entrant) => `${entrant.number} ${teamColour(entrant, ground)} ${entrant.isSecond}`);
  // A plot is made anew only when a line comes, or looks otherwise.
  const options = useMemo(
    (): Omit<uPlot.Options, 'width' | 'height'> => ({
      ...frame,
      legend: { show: false },
      focus: { alpha: BEHIND_ALPHA },
      cursor: { drag: { x: false, y: false }, focus: { prox: 12 }, points: { show: false } },
      series: [
        {},
        ...entrants.map((entrant) => ({
          label: entrant.code,
          stroke: teamColour(entrant, ground),
          width: WIDTH_PX,
          points: { show: true, size: 2 * WIDTH_PX + 1, filter: alone },
          ...(entrant.isSecond && { dash: DASH }),
        })),
      ],
      hooks: {
        ready: [
          (made: uPlot) => {
            plot.current = made;
            // The line that was chosen in the plot before.
            forward.current(null);
          },
        ],
        destroy: [
          () => {
            plot.current = null;
          },
        ],
      },
    }),
    [frame, lines.join()],
  );
  const bringForward = (number: string | null): void => {
    const at = entrants.findIndex((entrant) => entrant.number === (number ?? chosen.value));
    plot.current?.setSeries(at < 0 ? null : at + 1, { focus: at >= 0 });
  };
  forward.current = bringForward;
  useEffect(() => bringForward(null), [chosen.value]);
  return (
    <div class="stack tight">
      <Plot label={label} data={data} options={options} heightPx={HEIGHT_PX} />
      <Legend
        entrants={order}
        ground={ground}
        shownValue={shownValue}
        chosen={chosen.value}
        onChoose={(number) => {
          chosen.value = number;
        }}
        room={room}
        onPoint={bringForward}
      />
    </div>
  );
}

export interface PlotRoomProps {
  readonly room: LegendRoom;
  /** What can be opened below the plot. */
  readonly details: number;
  /** Why there is no plot yet. */
  readonly children: ComponentChildren;
}

/** As high as the plot with its legend, before there is anything to draw. */
export function PlotRoom({ room, details, children }: PlotRoomProps) {
  return (
    <>
      <div class="stack tight">
        <div style={{ height: `${HEIGHT_PX}px` }}>{children}</div>
        <EmptyLegend room={room} />
      </div>
      {Array.from({ length: details }, (_, index) => (
        <div key={index} class="details-place" />
      ))}
    </>
  );
}
