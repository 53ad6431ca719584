// The delivery engine in a profiled process: plays one timeline to a receiver and exits. Started by profile.ts, which
// passes the endpoints' secrets to the receiver before the play.

import { once } from 'node:events';
import { startDeliveryEngine } from './delivery-engine.ts';
import { syntheticArtifact } from './synthetic-timeline.ts';

const [origin, updates, count, bytes] = process.argv.slice(2) as [string, string, string, string];
// The parent is gone.
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
