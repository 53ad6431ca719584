// Compiles playback artifacts on a pool of worker threads.

import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import type { ArtifactCompiler } from '#engine/intake/playback/compiled-playback-library.ts';
import type { CompileJob } from './compile-artifact.ts';

export class PiscinaArtifactCompiler implements ArtifactCompiler {
  readonly #pool: Piscina;

  /** Compiles at most `threads` artifacts at once; others wait. */
  constructor(threads: number) {
    this.#pool = new Piscina({
      filename: new URL('compile-artifact.ts', import.meta.url).href,
      name: 'compileArtifact',
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: TASK_THREAD_IDLE_MS,
    });
  }

  async compile(recording: string, artifact: string, onProgress: (fraction: number) => void): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', onProgress);
    try {
      const job: CompileJob = { recording, artifact, progress: port2 };
      await this.#pool.run(job, { transferList: [port2] });
    } finally {
      port1.close();
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
