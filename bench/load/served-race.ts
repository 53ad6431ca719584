// A race in a real service, for benches that replay it: imported and prepared, with endpoints, and the lags of what arrived.

import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DEMO_SESSION_ID } from '#engine/intake/source/demo-session/demo-session.ts';
import type { ApiClient } from '#workers/demo/api-client.ts';
import type { BenchService } from '../engines/bench-service.ts';

const POLL_MS = 250;

/** Imports an archive folder, or takes the built-in race for `demo`, and prepares it. Returns the id of the session. */
export async function sessionOf(service: BenchService, recording: string): Promise<string> {
  const sessionId = recording === 'demo' ? DEMO_SESSION_ID : basename(recording);
  if (recording !== 'demo') {
    const args = ['import', 'recording', recording, '--session', sessionId];
    await service.process.admin(args, service.signal);
  }
  const api = await service.openApi();
  let { status } = await api.prepare(sessionId);
  while (status === 'preparing') {
    await pause(POLL_MS, undefined, { signal: service.signal });
    ({ status } = await api.preparation(sessionId));
  }
  if (status !== 'ready') throw new Error(`${sessionId} could not be prepared: ${status}`);
  return sessionId;
}

/** Endpoints at `origin`/<index> for one feed, or for all with `*`. */
export async function makeEndpoints(api: ApiClient, origin: string, count: number, feedId: string) {
  const made = [];
  for (let index = 0; index < count; index++)
    made.push(await api.createWebhook({ webhookUrl: `${origin}/${index}`, feedIds: [feedId] }));
  return made;
}

/**
 * The lags of arrivals, ascending. The service does not tell when a replay began, so they count from the update that was
 * least late: all are too small by its lag. `dueMs`: when each update is due, in race time; receiver by receiver in `atMs`.
 * `originMs`: when race time 0 was, if the caller knows better.
 */
export function lagsOf(
  atMs: Float64Array,
  dueMs: Uint32Array,
  speed: number,
  originMs = leastLateOrigin(atMs, dueMs, speed),
): Float64Array {
  return atMs.map((at, place) => at - dueMs[place % dueMs.length]! / speed - originMs).sort();
}

/** When race time 0 was, by the update that was least late. What never arrived has 0 in `atMs`. */
export function leastLateOrigin(atMs: Float64Array, dueMs: Uint32Array, speed: number): number {
  let originMs = Number.POSITIVE_INFINITY;
  for (const [place, at] of atMs.entries())
    if (at > 0) originMs = Math.min(originMs, at - dueMs[place % dueMs.length]! / speed);
  return originMs;
}
