// What a request wants to see of a delivery log.

import type { Static } from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import { refuseViolations } from '#api/http/violations.ts';
import { isId } from '#engine/base/ids.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import type { AttemptMatch } from '#engine/delivery/delivery-log/attempt-match.ts';
import { TEST_SEQUENCE } from '#engine/delivery/endpoint/test-delivery.ts';
import { deliveryIdPrefix, parseDeliveryId } from '#engine/delivery/sign/delivery-headers.ts';
import type { LogQuery } from '#schemas/http/deliveries.ts';
import { feedNumber } from '#schemas/webhook/feeds.ts';
import type { DeliveryLogStore, LogSpan } from './delivery-log-store.ts';
import { readCursor } from './log-cursor.ts';

/** A day or a moment in ISO 8601. A moment names its zone. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;
const DAY_MS = 86_400_000;
/** Behind every entry, also one of a clock that was ahead. */
const NEVER = new Date(Date.UTC(9999, 0));

export interface WantedLog {
  readonly before: bigint | null;
  readonly feed: number | null;
  readonly since: Date | null;
  readonly until: Date | null;
  readonly delivery: WantedDelivery | null;
}

/** A delivery id in its parts. */
export interface WantedDelivery {
  readonly idPrefix: string;
  readonly sequence: number;
}

/** Throws an ApiError that names every violation. */
export function readLogQuery(query: Static<typeof LogQuery>): WantedLog {
  const violations: string[] = [];
  const before = query.cursor === undefined ? null : readCursor(query.cursor);
  if (query.cursor !== undefined && before === null) violations.push('cursor is not a nextCursor of an earlier answer');
  const feed = query.feed === undefined ? null : (feedNumber(query.feed) ?? null);
  if (query.feed !== undefined && feed === null)
    violations.push(`feed ${quoted(query.feed)} is not a feed (GET /v1/feeds lists them)`);
  const since = timeOf('since', query.since, violations);
  const until = timeOf('until', query.until, violations);
  const delivery = query.delivery === undefined ? null : parseDeliveryId(query.delivery);
  if (query.delivery !== undefined && delivery === null)
    violations.push(
      `delivery must be a delivery id, evt_ and 26 characters as in webhook-id, and ${quoted(query.delivery)} is not`,
    );
  refuseViolations('invalid_query', violations);
  return { before, feed, since, until, delivery };
}

/** Which entries to read; null when none can match. `filter` is null when every entry of the span does. */
export interface LogSelection {
  readonly span: LogSpan;
  readonly filter: AttemptMatch | null;
}

/** Rejects with an ApiError when there is no such run. `shownSince`: from when entries are shown. */
export async function selectLog(
  store: DeliveryLogStore,
  { accountId, webhookId }: { readonly accountId: string; readonly webhookId: string },
  { outcome, status, mode, run, session }: Static<typeof LogQuery>,
  { feed, since, until, delivery }: WantedLog,
  shownSince: Date,
  now: Date,
): Promise<LogSelection | null> {
  const isKnown = run === undefined || isId('run', run);
  const named = run === undefined || !isKnown ? null : [run];
  const isNarrowed = run !== undefined || session !== undefined;
  let runs =
    isNarrowed && isKnown ? await store.runs(accountId, { runIds: named, sessionId: session ?? null }, now) : null;
  if (isNarrowed && runs === null) {
    if (session === undefined)
      throw new ApiError('not_found', 'There is no such run: GET /v1/simulate/runs lists yours.');
    return null;
  }
  // A test is of no run: it is found among the tests.
  const isTest = delivery !== null && delivery.sequence === TEST_SEQUENCE;
  if (delivery !== null && !isTest) {
    const scopes = await store.idScopes(accountId, webhookId);
    const runIds = scopes
      .filter((of) => deliveryIdPrefix(of.mode, of.scope, webhookId) === delivery.idPrefix)
      .map(({ runId }) => runId)
      .filter((runId) => run === undefined || runId === run);
    runs = runIds.length === 0 ? null : await store.runs(accountId, { runIds, sessionId: session ?? null }, now);
    if (runs === null) return null;
  }
  if (isTest && (isNarrowed || (mode !== undefined && mode !== 'test'))) return null;
  const span = {
    // The clock may have been set while a run was played.
    since: latest(shownSince, since, runs === null ? null : new Date(runs.since.getTime() - DAY_MS)),
    until: earliest(NEVER, until, runs === null ? null : new Date(runs.until.getTime() + DAY_MS)),
  };
  if (span.since >= span.until) return null;
  const filter = {
    outcome: outcome ?? null,
    statusCode: status ?? null,
    feed,
    mode: isTest ? ('test' as const) : (mode ?? null),
    runNos: runs?.runNos ?? null,
    sequence: delivery?.sequence ?? null,
  };
  const isWhole = Object.values(filter).every((part) => part === null) && since === null && until === null;
  return { span, filter: isWhole ? null : filter };
}

function timeOf(name: string, text: string | undefined, violations: string[]): Date | null {
  if (text === undefined) return null;
  const time = TIME.test(text) ? new Date(text) : null;
  if (time !== null && !Number.isNaN(time.getTime())) return time;
  violations.push(
    `${name} must be a time such as 2026-11-23T14:00:00Z (write a + in it as %2B), and ${quoted(text)} is not`,
  );
  return null;
}

function latest(first: Date, ...others: readonly (Date | null)[]): Date {
  return others.reduce<Date>((last, time) => (time !== null && time > last ? time : last), first);
}

function earliest(first: Date, ...others: readonly (Date | null)[]): Date {
  return others.reduce<Date>((last, time) => (time !== null && time < last ? time : last), first);
}
