// Outcomes of real recordings, read once each.

import { recordedOutcome } from '#engine/racing/derive/recorded-outcome.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { framesOf } from '#test/racing/real-sessions.ts';

const known = new Map<string, SessionOutcome>();

export function outcomeOf(session: string): SessionOutcome {
  let outcome = known.get(session);
  if (outcome === undefined) {
    outcome = recordedOutcome(F1, framesOf(session))!;
    known.set(session, outcome);
  }
  return outcome;
}
