// Threads of the service: binds the threads that a supervisor starts to node:worker_threads.

import { MessagePort, Worker } from 'node:worker_threads';
import type { SupervisedThread, ThreadEvents } from '#engine/base/supervisor.ts';

/** Runs `file`, a path relative to this one, as a thread. A `port` in a message is transferred to the thread. */
export function startWorker<ToThread extends object, FromThread>(
  file: string,
  name: string,
  workerData: object,
  events: ThreadEvents<FromThread>,
): SupervisedThread<ToThread> {
  const worker = new Worker(new URL(file, import.meta.url), { workerData, name });
  let cause = new Error('the thread ended');
  worker.on('message', events.heard);
  worker.on('error', (error) => {
    cause = error instanceof Error ? error : new Error(String(error));
  });
  worker.on('exit', () => events.died(cause));
  return {
    post: (message) => {
      worker.postMessage(message, 'port' in message && message.port instanceof MessagePort ? [message.port] : []);
    },
    async end() {
      await worker.terminate();
    },
  };
}
