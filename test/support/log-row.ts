// An attempt as a row of the delivery log.

import type { AttemptResult } from '#engine/delivery/attempt-result.ts';
import type { AttemptRecord } from '#engine/delivery/delivery-log/record-store.ts';

export interface LogRow extends Omit<AttemptRecord, 'result'> {
  readonly statusCode: number | null;
  readonly failureCode: string | null;
  readonly error: string | null;
  readonly responseBody: string | null;
}

export function logRow({ result, ...record }: AttemptRecord): LogRow {
  const { statusCode, error, answer } = outcomeOf(result);
  const failureCode = result.kind === 'failed' ? result.code : null;
  return { ...record, statusCode, failureCode, error, responseBody: answer };
}

export interface Outcome {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

export function outcomeOf(result: AttemptResult): Outcome {
  return result.kind === 'answered'
    ? { statusCode: result.statusCode, error: null, answer: result.body }
    : { statusCode: null, error: result.detail, answer: null };
}
