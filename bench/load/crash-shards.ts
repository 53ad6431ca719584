// Loaded into the service by the crash bench before the service's own code (`node --import`): on SIGUSR2 it terminates
// one delivery thread at once, the longest running. A thread cannot be killed from outside, and the service has no hook
// for it. So this module wraps the platform's Worker class, whose `terminate` stops a thread wherever it is.

import { syncBuiltinESMExports } from 'node:module';
import threads, { isMainThread, Worker, type WorkerOptions } from 'node:worker_threads';

const alive: Worker[] = [];

class WatchedWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(file, options);
    if (!options?.name?.startsWith('shard-')) return;
    alive.push(this);
    this.once('exit', () => void alive.splice(alive.indexOf(this), 1));
  }
}

if (isMainThread) {
  threads.Worker = WatchedWorker;
  syncBuiltinESMExports();
  process.on('SIGUSR2', () => {
    // A replacement goes to the end of the list, so every thread is terminated in turn.
    alive[0]?.terminate();
  });
}
