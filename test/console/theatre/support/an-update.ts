// Updates for tests of folds.

import type { ShownUpdate } from '#api/console/app/pages/theatre/show/updates.ts';

/** An update with this payload, at this time. */
export function anUpdate(feed: string, payload: object, sequence = 1, atMs = 0): ShownUpdate {
  return {
    feed,
    sequence,
    sessionId: 'some-race',
    atMs,
    payload: { feed, sequence, utc: new Date(atMs).toISOString(), ...payload },
    bytes: 100,
  };
}
