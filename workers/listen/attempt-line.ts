// One line for each attempt: when, what, which attempt, how it ended and what comes next. Failures have the words of the
// delivery log.

import { ATTEMPTS_MAX } from '#engine/base/limits.ts';
import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { AfterAttempt, AttemptReport } from './forwarder.ts';
import { milliseconds } from './tally.ts';

const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const COLOURS = { delivered: GREEN, retry: YELLOW, unfinished: YELLOW, failed: RED } as const;

/** Room for the longest feed ids, so that columns line up. */
const FEED_CHARS = 24;
const SEQUENCE_CHARS = 6;

/** `at`: when it ended, shown as local time. Colours are for terminals. */
export function attemptLine(report: AttemptReport, at: Date, hasColours: boolean): string {
  const { update, attempt, result, latencyMs, after } = report;
  const outcome = outcomeOf(result);
  const shown = hasColours ? `\x1b[${COLOURS[after.kind]}m${outcome}\x1b[0m` : outcome;
  const place = `${update.feed.padEnd(FEED_CHARS)} ${String(update.sequence).padStart(SEQUENCE_CHARS)}`;
  return `${timeOf(at)}  ${place}  ${attempt}/${ATTEMPTS_MAX}  ${shown}  ${milliseconds(latencyMs)}${nextOf(after)}`;
}

function outcomeOf(result: AttemptResult): string {
  if (result.kind === 'failed')
    return result.code === result.detail ? result.code : `${result.code} (${result.detail})`;
  const { statusCode } = result;
  return statusCode >= 200 && statusCode < 300 ? `${statusCode}` : `http_status ${statusCode}`;
}

function nextOf(after: AfterAttempt): string {
  switch (after.kind) {
    case 'delivered':
      return '';
    case 'retry':
      return `  again in ${after.delayMs / 1000} s`;
    case 'failed':
      return '  failed: no attempt is left';
    case 'unfinished':
      return '  not tried again';
  }
}

function timeOf(at: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  const seconds = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return `${seconds}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
