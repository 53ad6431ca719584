// What was sent on each day of the month: a plot, and the same as a table.

import { useState } from 'preact/hooks';
import type { GetUsageByFeedAnswer } from '#api/client/calls.ts';
import { Field } from '../../parts/field.tsx';
import { Plot, type PlotProps } from '../../parts/uplot-plot.tsx';
import { language, text } from '../../text/text.ts';
import { daysOf } from './figures.ts';

const t = text.usage;
const numbers = new Intl.NumberFormat(language);
const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
const short = new Intl.NumberFormat(language, { notation: 'compact' });

const PLOT: PlotProps['options'] = {
  // Days are those of UTC, so they are numbers here: uPlot would show times in the zone of the viewer.
  scales: {
    x: { time: false, range: (_plot, min, max) => [min, Math.max(min + 1, max)] },
    y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.05)] },
  },
  axes: [{ incrs: [1, 2, 5, 10] }, { size: 60, values: (_plot, ticks) => ticks.map((tick) => short.format(tick)) }],
  series: [
    { label: t.day },
    { label: t.deliveries, stroke: '--link', width: 2, points: { show: true } },
    { label: t.streamed, stroke: '--warn', width: 2, dash: [6, 3], points: { show: true } },
  ],
};

interface DaysProps {
  readonly byFeed: GetUsageByFeedAnswer['byFeed'];
  readonly windowStart: string;
}

export function Days({ byFeed, windowStart }: DaysProps) {
  const [feedId, choose] = useState('');
  const { days, undated } = daysOf(byFeed, feedId === '' ? null : feedId, windowStart, Date.now());
  const busy = days.filter(({ deliveries, streamed }) => deliveries + streamed > 0);
  return (
    <section class="card">
      <div class="row">
        <h2>{t.daysTitle}</h2>
        <Field label={t.feed}>
          {(tied) => (
            <select {...tied} value={feedId} onChange={(event) => choose(event.currentTarget.value)}>
              <option value="">{t.allFeeds}</option>
              {byFeed.map((feed) => (
                <option key={feed.feedId} value={feed.feedId}>
                  {feed.feedId}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Plot
        label={t.daysLabel(busy.length)}
        data={[
          days.map(({ day }) => day),
          days.map(({ deliveries }) => deliveries),
          days.map(({ streamed }) => streamed),
        ]}
        options={PLOT}
      />
      {undated > 0 && <p class="small soft">{t.undated(numbers.format(undated))}</p>}
      <details>
        <summary>{t.daysTable}</summary>
        <table class="table">
          <caption class="sr-only">{t.daysTitle}</caption>
          <thead>
            <tr>
              <th scope="col">{t.day}</th>
              <th scope="col" class="number">
                {t.deliveries}
              </th>
              <th scope="col" class="number">
                {t.streamed}
              </th>
            </tr>
          </thead>
          <tbody>
            {busy.map(({ day, atMs, deliveries, streamed }) => (
              <tr key={day}>
                <th scope="row">{dates.format(atMs)}</th>
                <td class="number">{numbers.format(deliveries)}</td>
                <td class="number">{numbers.format(streamed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
