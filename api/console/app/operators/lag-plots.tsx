// Lag and latency over the last hour.

import type uPlot from 'uplot';
import type { OperatorsHistory } from '#schemas/http/operators.ts';
import { Plot } from '../parts/uplot-plot.tsx';
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
const CLOCK = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });
const EXACT = new Intl.DateTimeFormat(language, { timeStyle: 'medium' });

const LAG_OPTIONS = optionsOf(LAG);
const LATENCY_OPTIONS = optionsOf(LATENCY);

export function LagPlots({ history }: { readonly history: OperatorsHistory }) {
  return (
    <div class="operators-plots">
      <Figure title={text.lag} about={text.lagAbout} history={history} columns={LAG} options={LAG_OPTIONS} />
      <Figure
        title={text.latency}
        about={text.latencyAbout}
        history={history}
        columns={LATENCY}
        options={LATENCY_OPTIONS}
      />
    </div>
  );
}

interface FigureProps {
  readonly title: string;
  readonly about: string;
  readonly history: OperatorsHistory;
  readonly columns: readonly PlottedColumn[];
  readonly options: Omit<uPlot.Options, 'width' | 'height'>;
}

function Figure({ title, about, history, columns, options }: FigureProps) {
  const { at } = history;
  const isEmpty = measured(history, columns).length === 0;
  const data = [at, ...columns.map((name) => history.columns[name])] as unknown as uPlot.AlignedData;
  return (
    <section class="card">
      <h3>{title}</h3>
      <p class="soft small">{about}</p>
      {isEmpty ? (
        <p>{at.length === 0 ? text.first : text.none}</p>
      ) : (
        <Plot label={wordsOf(history, title, columns)} data={data} options={options} />
      )}
    </section>
  );
}

function optionsOf(columns: readonly PlottedColumn[]): FigureProps['options'] {
  return {
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { values: (_plot, ticks) => ticks.map((at) => CLOCK.format(at * 1_000)) },
      { values: (_plot, ticks) => ticks.map((ms) => duration(ms)), size: 64 },
    ],
    series: [
      { label: text.time, value: (_plot, at) => (at === null ? operatorsText.notKnown : EXACT.format(at * 1_000)) },
      ...columns.map((name) => ({
        label: text.series[name],
        width: 2,
        points: { show: false },
        value: (_plot: uPlot, ms: number | null) => duration(ms),
        ...STROKES[name],
      })),
    ],
  };
}
