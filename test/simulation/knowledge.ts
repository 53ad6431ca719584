// What each shard thread knew at a moment, from the messages that it had received by then. An attempt that starts later
// must obey them, without any tolerance in time.

import type { EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { ToShard } from '#engine/delivery/shard/shard-messages.ts';
import type { Received, SeenAttempt } from './observed.ts';

/** What the thread of an attempt knew about its endpoint and run. */
export interface Known {
  /** Null if it did not know the endpoint. */
  settings: EndpointSettings | null;
  isDeleted: boolean;
  isStopped: boolean;
  isDraining: boolean;
  /** The run is to be let go of. */
  isParking: boolean;
}

export class Knowledge {
  readonly #byThread: ReadonlyMap<number, readonly Received[]>;

  constructor(received: readonly Received[]) {
    this.#byThread = Map.groupBy(received, ({ thread }) => thread);
  }

  of({ no, thread, endpoint, runId }: SeenAttempt): Known {
    const known: Known = { settings: null, isDeleted: false, isStopped: false, isDraining: false, isParking: false };
    for (const received of this.#byThread.get(thread) ?? []) {
      if (received.no > no) break;
      learn(known, received.message, endpoint, runId);
    }
    return known;
  }
}

function learn(known: Known, message: ToShard, endpoint: string, runId: string): void {
  switch (message.kind) {
    case 'run.start':
    case 'run.join':
      known.settings = message.endpoints.find(({ webhookId }) => webhookId === endpoint) ?? known.settings;
      if (message.kind === 'run.join') break;
      if (message.run.runId === runId) known.isParking = message.parking;
      if (message.deleted.includes(endpoint)) known.isDeleted = true;
      if (message.run.runId === runId && message.stopping !== null) known.isStopped = true;
      break;
    case 'run.stop':
      if (message.runId === runId) known.isStopped = true;
      break;
    case 'run.park':
      if (message.runId === runId) known.isParking = true;
      break;
    case 'endpoints.changed':
      known.settings = message.settings.find(({ webhookId }) => webhookId === endpoint) ?? known.settings;
      break;
    case 'endpoint.deleted':
      if (message.webhookId === endpoint) known.isDeleted = true;
      break;
    case 'drain':
      known.isDraining = true;
  }
}
