// The delivery engine in a process that is profiled: plays one timeline to a receiver and ends. Started by profile.ts, which
// lets the receiver know whom to expect in between.

import { once } from 'node:events';
import { startDeliveryEngine } from './delivery-engine.ts';
import { syntheticArtifact } from './synthetic-timeline.ts';

const [origin, updates, count, bytes] = process.argv.slice(2) as [string, string, string, string];
// Whoever asked for this is gone.
process.on('disconnect', () => process.exit(1));

const engine = await startDeliveryEngine(1);
const artifact = await syntheticArtifact(Number(updates), 1, Number(bytes));
const endpoints = await engine.register(origin, Number(count));
process.send!(endpoints.map(({ secret }) => secret));
await once(process, 'message');
const { logged, used } = await engine.play(artifact, endpoints, Number.POSITIVE_INFINITY);
await engine.close();
process.send!({ logged, used });
process.removeAllListeners('disconnect');
process.disconnect();
