// The part of the console bench that asks what a crowd of consoles costs a replay that delivers.

import type { Timeline } from '#engine/timeline/timeline.ts';
import type { BenchService } from '../engines/bench-service.ts';
import { ArrivalReceiver } from '../receivers/arrival-receiver-process.ts';
import { TheatreCrowd } from '../receivers/theatre-crowd-process.ts';
import { busiestSlice } from './race-slice.ts';
import { lagsOf, makeEndpoints } from './served-race.ts';

const SPEED = 10;
const ENDPOINTS = 25;
/** Consoles open while the race plays; what comes before is not measured. */
const JOIN_MS = 5_000;
const ARRIVAL_MS_MAX = 30_000;

export interface Crowded {
  /** Of the deliveries at their arrival, ascending. */
  readonly lagsMs: Float64Array;
  readonly lost: number;
  readonly doubled: number;
  readonly misordered: number;
  /** Consoles that lost their stream, or that did not see the race to the end of what is measured. */
  readonly cutOff: number;
}

/** Delivers the busiest part of a race while a console for each cookie watches the same part. */
export async function deliverBesideConsoles(
  service: BenchService,
  race: Timeline,
  sessionId: string,
  ms: number,
  cookies: readonly string[],
): Promise<Crowded> {
  const slice = busiestSlice(race, (ms + JOIN_MS) * SPEED);
  const { dueMs } = slice.timeline.columns;
  const fromMs = dueMs[slice.from]! + JOIN_MS * SPEED;
  const first = dueMs.findIndex((due) => due >= fromMs) + 1;
  const updates = slice.from + slice.updates + 1 - first;
  const arrivals = await ArrivalReceiver.start();
  const api = await service.openApi();
  const endpoints = await makeEndpoints(api, arrivals.origin, ENDPOINTS, '*');
  await arrivals.expect({ secrets: endpoints.map(({ webhookSecret }) => webhookSecret), first, updates });
  const crowd = cookies.length > 0 ? new TheatreCrowd() : null;
  try {
    const sequence = slice.from + 1;
    const { runId } = await api.startRun(sessionId, SPEED, { sequence: String(sequence) });
    await crowd?.open({ address: service.process.address, cookies, sessionId, speed: SPEED, sequence });
    await arrivals.settled(ms + JOIN_MS + ARRIVAL_MS_MAX);
    const seen = await crowd?.report();
    await api.stopRun(runId);
    const { atMs, distinct, doubled, misordered } = await arrivals.report();
    return {
      lagsMs: lagsOf(atMs, dueMs.subarray(first - 1, first - 1 + updates), SPEED),
      lost: updates * ENDPOINTS - distinct,
      doubled,
      misordered,
      // They began up to JOIN_MS after the deliveries, so they are as far behind.
      cutOff: (seen?.ended ?? 0) + (seen?.sequences ?? []).filter((sequence) => sequence < first).length,
    };
  } finally {
    await crowd?.end();
    await arrivals.end();
    for (const { webhookId } of endpoints) await api.deleteWebhook(webhookId);
  }
}
