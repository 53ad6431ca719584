// Plots of the newest attempts: how they ended, how long they took, and how late they were.

import type { DeliveryLogEntry } from '#api/client/calls.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Plot, type PlotProps } from '../../parts/uplot-plot.tsx';
import { language, text } from '../../text/text.ts';
import { msText, percentText } from './amounts.ts';
import { type Stretch, stretchesOf, totalsOf } from './log-plots.ts';

/** The largest page of the log, twice. */
const PAGE = 500;
const ENTRIES_MAX = 1_000;
const REFRESH_MS = 10_000;

export function LogPlots({ webhookId }: { readonly webhookId: string }) {
  const load = useLoad((signal) => newestEntries(webhookId, signal), [webhookId], { everyMs: REFRESH_MS });
  return (
    <Loaded load={load}>
      {(entries) => (entries.length === 0 ? <Empty title={text.endpoints.plotsNone} /> : <Plots entries={entries} />)}
    </Loaded>
  );
}

async function newestEntries(webhookId: string, signal: AbortSignal): Promise<readonly DeliveryLogEntry[]> {
  const first = await service.listDeliveryLog({ webhookId, limit: PAGE }, { signal });
  if (first.nextCursor === null) return first.logs;
  const rest = await service.listDeliveryLog({ webhookId, limit: PAGE, cursor: first.nextCursor }, { signal });
  return [...first.logs, ...rest.logs].slice(0, ENTRIES_MAX);
}

type Options = PlotProps['options'];

const CLOCK = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const clock = (atS: number): string => CLOCK.format(atS * 1_000);
/** The axis and the legend of time. uPlot's own write it as in America. */
const timeAxis: NonNullable<Options['axes']>[number] = {
  space: 90,
  incrs: [1, 5, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400],
  values: (_plot, ticks) => ticks.map(clock),
};
const timeSeries: Options['series'][number] = {
  label: text.endpoints.time,
  value: (_plot, at) => (at === null ? '–' : clock(at)),
};

/** Values of the axis and of the legend, in ms. */
const msValue = (_plot: unknown, value: number | null): string => (value === null ? '–' : msText(value));
const msAxis: NonNullable<Options['axes']>[number] = {
  size: 70,
  values: (_plot, ticks) => ticks.map(msText),
};

const OUTCOMES: Options = {
  axes: [timeAxis, {}],
  scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max)] } },
  series: [
    timeSeries,
    { label: text.endpoints.outcomes.delivered, stroke: '--good', width: 2 },
    { label: text.endpoints.outcomes.failed, stroke: '--bad', width: 2, dash: [6, 3] },
  ],
};

const LATENCY: Options = {
  axes: [timeAxis, msAxis],
  scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max)] } },
  series: [
    timeSeries,
    { label: 'p50', stroke: '--link', width: 2, value: msValue, spanGaps: true },
    { label: 'p95', stroke: '--warn', width: 2, dash: [6, 3], value: msValue, spanGaps: true },
    { label: 'p99', stroke: '--bad', width: 2, dash: [2, 3], value: msValue, spanGaps: true },
  ],
};

const LAG: Options = {
  axes: [timeAxis, msAxis],
  scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max)] } },
  series: [timeSeries, { label: text.endpoints.lag, stroke: '--link', width: 2, value: msValue, spanGaps: true }],
};

function Plots({ entries }: { readonly entries: readonly DeliveryLogEntry[] }) {
  const stretches = stretchesOf(entries);
  const { attempts, delivered, p50, p95, p99, lag } = totalsOf(entries);
  const times = stretches.map(({ atS }) => atS);
  const column = (key: Exclude<keyof Stretch, 'atS'>): (number | null)[] => stretches.map((stretch) => stretch[key]);
  const figures: readonly (readonly [string, string])[] = [
    [text.endpoints.deliveredShare, percentText(delivered / attempts)],
    ['p50', shown(p50)],
    ['p95', shown(p95)],
    ['p99', shown(p99)],
    [text.endpoints.lag, shown(lag)],
  ];
  const plots: readonly (readonly [string, Options, PlotProps['data']])[] = [
    [text.endpoints.plotOutcomes, OUTCOMES, [times, column('delivered'), column('failed')]],
    [text.endpoints.plotLatency, LATENCY, [times, column('p50'), column('p95'), column('p99')]],
    [text.endpoints.plotLag, LAG, [times, column('lag')]],
  ];
  return (
    <div class="stack">
      <p class="soft">{text.endpoints.plotsOf(attempts)}</p>
      <dl class="facts">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {plots.map(([title, options, data]) => (
        <section class="card" key={title}>
          <h2>{title}</h2>
          <Plot label={text.endpoints.plotLabel(title, stretches.length)} data={data} options={options} />
        </section>
      ))}
    </div>
  );
}

function shown(ms: number | null): string {
  return ms === null ? '–' : msText(ms);
}
