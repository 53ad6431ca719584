// What a request asks to be sent again, read from its body.

import type Type from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import { refuseViolations } from '#api/http/violations.ts';
import { RESEND_IDS_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { SKIP_REASONS } from '#engine/delivery/skip-reason.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import type { ResendOrder } from '#schemas/http/resends.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

export type ResendObject =
  | { readonly kind: 'deliveries'; readonly deliveryIds: readonly string[] }
  | { readonly kind: 'session'; readonly sessionId: string }
  | { readonly kind: 'run'; readonly runId: string };

/** Unix epoch milliseconds of the first update's `utc`, or its sequence. */
export type Since = { readonly utcMs: number } | { readonly sequence: number };

export interface ResendWish {
  readonly what: ResendObject;
  readonly failed: boolean;
  readonly reasons: ReadonlySet<string>;
  readonly since: Since | null;
  /** Null: all feeds. */
  readonly feedIds: ReadonlySet<string> | null;
}

const KNOWN_REASONS: ReadonlySet<string> = new Set(SKIP_REASONS);
const KNOWN_FEEDS: ReadonlySet<string> = new Set(FEEDS.map(({ feedId }) => feedId));
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Throws an ApiError that names everything that is wrong with the body. */
export function parseResendWish(body: Type.Static<typeof ResendOrder>): ResendWish {
  const violations: string[] = [];
  const what = objectOf(body, violations);
  if (what?.kind === 'deliveries') {
    for (const key of ['since', 'outcome', 'reasons', 'feedIds'] as const)
      if (body[key] !== undefined) violations.push(`${key} goes with sessionId or runId, not with delivery ids`);
  }
  for (const reason of body.reasons ?? [])
    if (!KNOWN_REASONS.has(reason))
      violations.push(`reasons: ${quoted(reason)} is not one of ${SKIP_REASONS.join(', ')}`);
  if (body.reasons !== undefined && body.outcome === 'failed')
    violations.push('reasons goes with outcome skipped: a failed update has none');
  for (const feedId of body.feedIds ?? [])
    if (!KNOWN_FEEDS.has(feedId))
      violations.push(`feedIds: there is no feed ${quoted(feedId)} (GET /v1/feeds lists them)`);
  const since = body.since === undefined ? null : sinceOf(body.since);
  if (since === 'invalid') violations.push('since must be a sequence from 1, or a time such as 2026-05-03T14:00:00Z');
  refuseViolations('invalid_body', violations);
  if (what === null || since === 'invalid') throw new ApiError('invalid_body');
  return {
    what,
    failed: body.outcome !== 'skipped' && body.reasons === undefined,
    reasons: body.outcome === 'failed' ? new Set() : new Set(body.reasons ?? SKIP_REASONS),
    since,
    feedIds: body.feedIds === undefined ? null : new Set(body.feedIds),
  };
}

/** The first position that is meant. */
export function firstPosition(since: Since | null, { info, columns, length }: Timeline): number {
  if (since === null) return 0;
  if ('sequence' in since) return since.sequence - 1;
  const elapsedMs = since.utcMs - info.startUtcMs;
  let position = 0;
  while (position < length && columns.dueMs[position]! < elapsedMs) position++;
  return position;
}

function objectOf(body: Type.Static<typeof ResendOrder>, violations: string[]): ResendObject | null {
  const { deliveryId, deliveryIds, sessionId, runId } = body;
  const given = [deliveryId, deliveryIds, sessionId, runId].filter((value) => value !== undefined);
  if (given.length !== 1) {
    violations.push('give exactly one of deliveryId, deliveryIds, sessionId and runId');
    return null;
  }
  if (sessionId !== undefined) return { kind: 'session', sessionId };
  if (runId !== undefined) return { kind: 'run', runId };
  const ids = deliveryIds ?? [deliveryId!];
  if (ids.length > RESEND_IDS_MAX)
    violations.push(`deliveryIds has ${ids.length} ids; at most ${RESEND_IDS_MAX} are allowed`);
  return { kind: 'deliveries', deliveryIds: ids };
}

function sinceOf(since: string | number): Since | 'invalid' {
  if (typeof since === 'number') return since >= 1 ? { sequence: since } : 'invalid';
  const utcMs = UTC.test(since) ? Date.parse(since) : Number.NaN;
  return Number.isNaN(utcMs) ? 'invalid' : { utcMs };
}
