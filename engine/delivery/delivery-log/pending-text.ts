// The started but unsettled updates of a checkpoint as the text of one column: `position:attempts made:due at`, joined
// by commas. There are few, and they are always read together.

import { assert } from '#engine/base/assert.ts';
import type { PendingUpdate } from './record-store.ts';

export function formatPending(pending: readonly PendingUpdate[]): string {
  return pending.map(({ position, attemptsMade, dueAtMs }) => `${position}:${attemptsMade}:${dueAtMs}`).join(',');
}

export function parsePending(text: string): PendingUpdate[] {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const [position, attemptsMade, dueAtMs, ...rest] = part.split(':').map(Number);
    assert(
      Number.isSafeInteger(position) && Number.isSafeInteger(attemptsMade) && Number.isFinite(dueAtMs) && !rest.length,
      `"${part}" is a pending update`,
    );
    return { position: position!, attemptsMade: attemptsMade!, dueAtMs: dueAtMs! };
  });
}
