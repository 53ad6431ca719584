// A plot as an HTML figure: a description in words, a box to draw it in, and a table of its numbers for readers who
// cannot see it.

import { escapeHtml } from '#engine/base/html-escape.ts';
import type { Plot, Series } from './result.ts';
import { formatValue } from './result-text.ts';

/** The plot without the points that a logarithmic axis cannot show, and the number of those points. */
export function drawable(plot: Plot): { plot: Plot; leftOut: number } {
  let leftOut = 0;
  const series = plot.series.map(({ name, x, y }): Series => {
    const kept = x.flatMap((at, index) => {
      const value = y[index] ?? null;
      const shown = (plot.xScale === 'linear' || at > 0) && (plot.yScale === 'linear' || value === null || value > 0);
      if (!shown) leftOut++;
      return shown ? [{ at, value }] : [];
    });
    return { name, x: kept.map(({ at }) => at), y: kept.map(({ value }) => value) };
  });
  return { plot: { ...plot, series: series.filter(({ y }) => y.some((value) => value !== null)) }, leftOut };
}

/** `plotIndex` is the index of the plot in the page's list of plots. */
export function plotFigure({ plot, leftOut }: ReturnType<typeof drawable>, plotIndex: number): string {
  const { title, xTitle, yTitle, series } = plot;
  const caption = `<figcaption>${escapeHtml(title)}</figcaption>`;
  const missing =
    leftOut === 0 ? '' : `<p class="faint">Not shown: ${leftOut} points at or below zero, on a logarithmic axis.</p>`;
  if (series.length === 0)
    return `<figure>${caption}<p class="faint">There are no points to draw.</p>${missing}</figure>`;
  const words = `Plot: ${title}. ${yTitle} over ${xTitle}. ${series.map(inWords).join('; ')}. The numbers follow.`;
  return [
    `<figure data-plot="${plotIndex}">${caption}`,
    `<div class="plot" role="img" aria-label="${escapeHtml(words)}"></div>`,
    missing,
    '<details><summary>Numbers</summary><div class="numbers" role="region" tabindex="0"',
    ` aria-label="${escapeHtml(`Numbers of ${title}`)}"></div></details></figure>`,
  ].join('');
}

function inWords({ name, y }: Series): string {
  const values = y.filter((value) => value !== null);
  return `${name}: ${y.length} points from ${formatValue(Math.min(...values))} to ${formatValue(Math.max(...values))}`;
}
