// A chart by laps: positions or gaps.

import { type Signal, signal } from '@preact/signals';
import type uPlot from 'uplot';
import { text } from '../../../text/text.ts';
import type { Panel } from '../show/fold.ts';
import { DriverPlot, PlotRoom } from './driver-plot.tsx';
import type { Entrant } from './entrants.ts';
import { drawnEntrants, type LapChart } from './lap-chart.ts';
import type { LegendRoom } from './legend.tsx';
import { TableDetails } from './table-details.tsx';
import { useDrawing } from './use-drawing.ts';

export interface LapChartWords {
  readonly title: string;
  readonly label: (lap: number, order: readonly string[]) => string;
  readonly value: (value: number) => string;
  /** Of the longest value. */
  readonly characters: number;
}

/** Lines for which a chart has room before they come. */
const FIELD = 20;

function roomOf({ characters }: LapChartWords): LegendRoom {
  return { entrants: FIELD, characters };
}

const LAP_AXIS: uPlot.Axis = {
  incrs: [1, 2, 5, 10, 20, 50],
  label: text.panels.lap,
  labelSize: 20,
};

/** The first place is at the top. */
export const POSITION_FRAME: Pick<uPlot.Options, 'scales' | 'axes'> = {
  scales: { x: { time: false }, y: { dir: -1, range: (_plot, _low, high) => [0.5, Math.max(2, high) + 0.5] } },
  axes: [
    LAP_AXIS,
    {
      size: 32,
      splits: (_plot, _axis, _low, high) => [1, 5, 10, 15, 20, 25, 30, 40, 50].filter((place) => place <= high),
    },
  ],
};

/** A car that is more than a lap behind would press the others together. */
const GAP_SHOWN_MAX = 120;

/** The leader is at the top. */
export const GAP_FRAME: Pick<uPlot.Options, 'scales' | 'axes'> = {
  scales: {
    x: { time: false },
    y: { dir: -1, range: (_plot, _low, high) => [-1, Math.min(GAP_SHOWN_MAX, Math.max(5, high) + 2)] },
  },
  axes: [LAP_AXIS, { size: 52, values: (_plot, ticks) => ticks.map((gap) => text.panels.gapTick(gap)) }],
};

export function lapChartView(
  fold: LapChart,
  frame: Pick<uPlot.Options, 'scales' | 'axes'>,
  words: LapChartWords,
): Panel['View'] {
  /** Kept while the panel is hidden. */
  const chosen = signal<string | null>(null);
  return function LapChartView({ theatre }) {
    const place = useDrawing(theatre, () => fold.table.version + fold.entrants.version);
    return (
      <div ref={place} class="stack tight">
        {!fold.isRace ? (
          <p class="soft">{text.panels.forRaces}</p>
        ) : fold.table.lastLap < 1 ? (
          <PlotRoom room={roomOf(words)} details={1}>
            <p class="soft">{text.panels.noLaps}</p>
          </PlotRoom>
        ) : (
          <LapLines fold={fold} frame={frame} words={words} chosen={chosen} />
        )}
      </div>
    );
  };
}

interface LapLinesProps {
  readonly fold: LapChart;
  readonly frame: Pick<uPlot.Options, 'scales' | 'axes'>;
  readonly words: LapChartWords;
  readonly chosen: Signal<string | null>;
}

function LapLines({ fold, frame, words, chosen }: LapLinesProps) {
  const { table } = fold;
  const order = drawnEntrants(fold);
  // Columns keep their order, so that the plot need not be made anew after each pass.
  const columns = [...order].sort((a, b) => a.number.localeCompare(b.number));
  const laps = Array.from({ length: table.lastLap + 1 }, (_, lap) => lap);
  const data: uPlot.AlignedData = [laps, ...columns.map(({ number }) => table.column(number))];
  const latest = ({ number }: Entrant): string => {
    const value = table.latest(number);
    return value === null ? text.panels.none : words.value(value);
  };
  return (
    <>
      <DriverPlot
        label={words.label(
          table.lastLap,
          order.map(({ code }) => code),
        )}
        entrants={columns}
        data={data}
        shownValue={latest}
        chosen={chosen}
        order={order}
        room={roomOf(words)}
        frame={frame}
      />
      <TableDetails label={words.title}>
        {() => (
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{text.panels.driver}</th>
                {laps.map((lap) => (
                  <th key={lap} scope="col" class="number" aria-label={text.panels.lapOf(lap)}>
                    {lap}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {order.map(({ number, code }) => (
                <tr key={number}>
                  <th scope="row">{code}</th>
                  {table.column(number).map((value, lap) => (
                    <td key={lap} class="number">
                      {value === null ? text.panels.none : words.value(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </TableDetails>
    </>
  );
}
