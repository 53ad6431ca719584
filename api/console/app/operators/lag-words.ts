// What a plot of lag or latency shows, in words.

import type { HistoryColumn, OperatorsHistory } from '#schemas/http/operators.ts';
import { operatorsText } from '../text/text.ts';
import { duration } from './figures.ts';

const text = operatorsText.history;

export type PlottedColumn = keyof typeof text.series & HistoryColumn;

/** Those of these columns in which something was measured. */
export function measured(history: OperatorsHistory, names: readonly PlottedColumn[]): readonly PlottedColumn[] {
  return names.filter((name) => history.columns[name].some((value) => value !== null));
}

export function wordsOf(history: OperatorsHistory, what: string, names: readonly PlottedColumn[]): string {
  const series = measured(history, names).map((name) => {
    const values = history.columns[name].filter((value) => value !== null);
    return text.seriesWords(text.series[name], duration(values.at(-1)!), duration(Math.max(...values)));
  });
  return series.length === 0 ? text.none : text.words(what, series);
}
