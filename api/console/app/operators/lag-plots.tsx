// Lag and latency over the last hour.

import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import type { OperatorsHistory } from '#schemas/http/operators.ts';
import { Plot, type PlotProps } from '../parts/uplot-plot.tsx';
import { language, operatorsText } from '../text/text.ts';
import { duration } from './figures.ts';
import { measured, type PlottedColumn, wordsOf } from './lag-words.ts';

const text = operatorsText.history;

const LAG: readonly PlottedColumn[] = ['liveLagP50', 'liveLagP99', 'replayLagP50', 'replayLagP99'];
const LATENCY: readonly PlottedColumn[] = ['attemptP50', 'attemptP99'];
/** Told apart without colour, too: p99 is dashed. */
const STROKES: Readonly<Record<PlottedColumn, Pick<uPlot.Series, 'stroke' | 'dash'>>> = {
  liveLagP50: { stroke: '--accent' },
  liveLagP99: { stroke: '--accent', dash: [6, 4] },
  replayLagP50: { stroke: '--link' },
  replayLagP99: { stroke: '--link', dash: [6, 4] },
  attemptP50: { stroke: '--link' },
  attemptP99: { stroke: '--link', dash: [6, 4] },
};
/** One is no line. */
const SAMPLES_MIN = 2;
const TICKS_S = [60, 300, 600, 900];
const CLOCK = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });
const EXACT = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });

/** The axis of time is this long at least. */
const SPAN_S_MIN = 600;

export function LagPlots({ history }: { readonly history: OperatorsHistory }) {
  return (
    <div class="operators-plots">
      <Figure title={text.lag} about={text.lagAbout} history={history} columns={LAG} />
      <Figure title={text.latency} about={text.latencyAbout} history={history} columns={LATENCY} />
    </div>
  );
}

interface FigureProps {
  readonly title: string;
  readonly about: string;
  readonly history: OperatorsHistory;
  readonly columns: readonly PlottedColumn[];
}

function Figure({ title, about, history, columns }: FigureProps) {
  const { at } = history;
  const shown = at.length < SAMPLES_MIN ? [] : measured(history, columns);
  const options = useMemo(() => optionsOf(shown), [shown.join()]);
  const data = [at, ...shown.map((name) => history.columns[name])] as unknown as uPlot.AlignedData;
  return (
    <section class="card">
      <h3>{title}</h3>
      <p class="soft small">{about}</p>
      {shown.length === 0 ? (
        <p>{at.length < SAMPLES_MIN ? text.first : text.none}</p>
      ) : (
        <Plot label={wordsOf(history, title, shown)} data={data} options={options} />
      )}
    </section>
  );
}

function optionsOf(columns: readonly PlottedColumn[]): PlotProps['options'] {
  return {
    scales: {
      x: { range: (_plot, first, last) => [Math.min(first, last - SPAN_S_MIN), last] },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    legend: { markers: { dash: (plot, series) => (plot.series[series]!.dash === undefined ? 'solid' : 'dashed') } },
    axes: [
      { values: (_plot, ticks) => ticks.map((at) => CLOCK.format(at * 1_000)), incrs: TICKS_S },
      { values: (_plot, ticks) => ticks.map((ms) => duration(ms)), size: 64 },
    ],
    series: [
      { label: text.time, value: (_plot, at) => (at === null ? operatorsText.notKnown : EXACT.format(at * 1_000)) },
      ...columns.map((name) => ({
        label: text.series[name],
        width: 2,
        value: (_plot: uPlot, ms: number | null) => duration(ms),
        ...STROKES[name],
      })),
    ],
  };
}
