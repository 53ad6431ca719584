// Which secrets signed an attempt. An endpoint has the secret in force and the one before, and knows since when each of
// them was; older ones are gone.

import { ROTATION_SETTLES_MS } from '#engine/base/limits.ts';
import { PREVIOUS_SECRET_MS } from './endpoint-settings.ts';
import type { WebhookRecord } from './webhook-store.ts';

/** Why a signature cannot be made again. */
export type SecretGone = 'secret_gone' | 'secret_changing';

export type LoggedSecrets =
  /**
   * `previous` signed beside `current` until `untilMs` (Unix epoch milliseconds). `isWhole`: it is not known to be
   * missing.
   */
  | {
      readonly kind: 'known';
      readonly current: Buffer;
      readonly previous: { readonly sealed: Buffer; readonly untilMs: number } | null;
      readonly isWhole: boolean;
    }
  | { readonly kind: 'gone'; readonly why: SecretGone };

type Secrets = Pick<
  WebhookRecord,
  'secretSealed' | 'previousSecretSealed' | 'previousSince' | 'rotatedAt' | 'createdAt'
>;

/** The sealed secrets that signed an attempt which started at `atMs` (Unix epoch milliseconds). */
export function secretsAt(webhook: Secrets, atMs: number): LoggedSecrets {
  const { secretSealed, previousSecretSealed, previousSince, rotatedAt, createdAt } = webhook;
  if (rotatedAt === null) return { kind: 'known', current: secretSealed, previous: null, isWhole: true };
  const rotatedMs = rotatedAt.getTime();
  if (atMs >= rotatedMs) {
    // The delivery threads learn of a rotation a moment after it is stored.
    if (atMs < rotatedMs + ROTATION_SETTLES_MS) return { kind: 'gone', why: 'secret_changing' };
    const untilMs = rotatedMs + PREVIOUS_SECRET_MS;
    const previous = previousSecretSealed === null ? null : { sealed: previousSecretSealed, untilMs };
    return { kind: 'known', current: secretSealed, previous, isWhole: previous !== null || atMs >= untilMs };
  }
  if (previousSecretSealed === null || previousSince === null || atMs < previousSince.getTime())
    return { kind: 'gone', why: 'secret_gone' };
  const sinceMs = previousSince.getTime();
  const wasRotated = sinceMs > createdAt.getTime();
  if (wasRotated && atMs < sinceMs + ROTATION_SETTLES_MS) return { kind: 'gone', why: 'secret_changing' };
  const isWhole = !wasRotated || atMs >= sinceMs + PREVIOUS_SECRET_MS;
  return { kind: 'known', current: previousSecretSealed, previous: null, isWhole };
}
