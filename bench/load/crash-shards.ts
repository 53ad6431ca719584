// Loaded into the service by the crash bench, before anything of the service's own (`node --import`): ends a delivery thread at
// once whenever the process gets SIGUSR2, in turn each of those that live. A thread cannot be killed from outside, and the
// service has no way in for that; so the platform's class is watched here, and `terminate` stops the thread wherever it is.

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
    // The one that lives longest: each has its turn, as a new one is the last of the list.
    alive[0]?.terminate();
  });
}
