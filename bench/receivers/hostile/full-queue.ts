// A thread that listens and then blocks for ever, so it never accepts a connection. Its accept queue is short and full
// at once. Started by `hostile-receiver.ts`.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const { host, port } = workerData as { readonly host: string; readonly port: number };
const server = createServer().listen(port, host, 1);
await once(server, 'listening');
parentPort!.postMessage((server.address() as AddressInfo).port);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
