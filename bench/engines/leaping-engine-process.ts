// The delivery engine for benches with hostile receivers: one shard on the main thread of this process, with the real
// transport, PostgreSQL and delivery log. Three things differ: the clock can leap, so a bench need not wait for
// deadlines; names are resolved by the bench's name server; and the process reports memory after a garbage collection
// and bytes read per port.
//
// Started by `PacedEngine.startIn` with the address of the name server.

import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { type Clock, systemClock } from '#engine/base/clock.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import { createNameLookup } from '#engine/delivery/transport/name-lookup.ts';
import { allowanceCell } from '#engine/delivery/usage/allowance.ts';
import { readArtifact } from '#engine/timeline/artifact.ts';
import { createLog } from '#workers/log.ts';
import { collectedMemory } from '../suite/collected-memory.ts';
import { endWithTheBench } from '../suite/helper-process.ts';
import { monotonicMs } from '../suite/monotonic.ts';
import { benchFolder, openBenchDatabase } from './bench-database.ts';
import { MainThreadShard } from './main-thread-shard.ts';
import { BENCH_ORIGIN, type FromEngine, type ToEngine, type UsageSample } from './paced-engine-messages.ts';

/** From receiving the play message to the first due update. */
const LEAD_MS = 300;

const nameServer = process.argv[2]!;
const authority = new URL('../../test/fixtures/tls/authority.pem', import.meta.url);
setDefaultCACertificates([readFileSync(authority)]);

const folder = benchFolder();

const readBytes = new Map<number, number>();
subscribe('net.client.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  let port = 0;
  socket.once('connect', () => {
    port = socket.remotePort ?? 0;
  });
  socket.once('close', () => readBytes.set(port, (readBytes.get(port) ?? 0) + socket.bytesRead));
});

let leaptMs = 0;
const clock: Clock = {
  nowMs: () => systemClock.nowMs() + leaptMs,
  wallMs: () => systemClock.wallMs() + leaptMs,
};

const log = createLog('warn');
const database = await openBenchDatabase(folder, log);
let settled = (): void => {};
const shard = new MainThreadShard({
  clock,
  transport: new HttpTransport(
    { isServed: true, isOwnPort: () => false },
    { ...systemClock, ...clock },
    createNameLookup(systemClock, [nameServer]),
  ),
  sql: database.connect(2),
  log,
  settled: () => settled(),
});

function send(message: FromEngine): void {
  if (process.connected) process.send!(message);
}

/** Resource use after a garbage collection. */
async function sample(): Promise<UsageSample> {
  const memory = await collectedMemory();
  const { user, system } = process.cpuUsage();
  return {
    atMs: monotonicMs(),
    cpuUs: user + system,
    ...memory,
    readBytes: new Map(readBytes),
  };
}

async function play({ order, artifactFile, endpoints, beginsMs }: Extract<ToEngine, { kind: 'play' }>): Promise<void> {
  const artifact = await readArtifact(artifactFile, BENCH_ORIGIN);
  if ('damaged' in artifact) throw new Error(`${artifactFile}: ${artifact.damaged}`);
  const before = await sample();
  const pacedFromMs = Math.round(clock.nowMs() + LEAD_MS - beginsMs / order.speed);
  const zeroAtMs = monotonicMs() + pacedFromMs - clock.nowMs();
  settled = () => {
    void sample().then((after) => send({ kind: 'settled', usage: [before, after] }));
  };
  shard.receive({
    kind: 'run.start',
    run: { ...order, pacedFromMs, allowance: allowanceCell() },
    timeline: { bytes: artifact.bytes },
    endpoints,
    // Starts from the checkpoints that the bench inserted.
    resumed: true,
    deleted: [],
    stopping: null,
    parking: false,
  });
  send({ kind: 'started', zeroAtMs });
}

process.on('message', (message: ToEngine) => {
  switch (message.kind) {
    case 'play':
      void play(message);
      break;
    case 'stop':
      shard.receive({ kind: 'run.stop', runId: message.runId, reason: 'stopped' });
      break;
    case 'leap':
      leaptMs += message.ms;
      shard.wake();
      break;
  }
});
endWithTheBench(async () => {
  await shard.drain();
  await database.close();
});
send({ kind: 'ready', connection: database.connection, folder });
