// Checks what a live run costs its shards when endpoints are created during its session: each is sent alone (C5).

import type { World } from './world.ts';

export function checkJoins({ observed }: World): void {
  const joined = new Set<string>();
  for (const { message } of observed.received) {
    if (message.kind !== 'run.join') continue;
    for (const { webhookId } of message.endpoints) {
      const name = `${message.runId} ${webhookId}`;
      // A process that restarts hands over whole runs, so no endpoint joins a run twice.
      if (joined.has(name))
        observed.violated(`C5: ${webhookId} was sent again to a shard that has it in ${message.runId}`);
      joined.add(name);
    }
  }
}
