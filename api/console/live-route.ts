// Which sessions are live, for the list of the console: those that the service follows, also those that no calendar has.

import { type Operation, reply, sessionOperation } from '#api/http/operation.ts';
import type { LiveMemory } from '#engine/timeline/live-memory.ts';
import { ConsoleLive } from '#schemas/http/console.ts';

/** `following`: what the sessions have published that are live now. */
export function liveRoute(following: () => readonly Pick<LiveMemory, 'head'>[]): Operation {
  return sessionOperation(
    { summary: 'List the sessions that are live', answer: ConsoleLive, undocumented: true },
    async () => reply({ data: { sessionIds: following().map(({ head }) => head.sessionId) } }),
  );
}
