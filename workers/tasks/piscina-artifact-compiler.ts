// Compiles playback artifacts on worker threads.

import { MessageChannel } from 'node:worker_threads';
import { TASK_THREAD_IDLE_MS } from '#engine/base/limits.ts';
import type { ArtifactCompiler } from '#engine/intake/playback/compiled-playback-library.ts';
import type { CompileJob } from './compile-artifact.ts';
import { PiscinaThread } from './piscina-thread.ts';

export class PiscinaArtifactCompiler implements ArtifactCompiler {
  readonly #threads: readonly PiscinaThread<CompileJob, void>[];

  /** Compiles at most `threads` artifacts at once; others wait. */
  constructor(threads: number) {
    const file = new URL('compile-artifact.ts', import.meta.url);
    this.#threads = Array.from(
      { length: threads },
      () => new PiscinaThread<CompileJob, void>(file, 'compileArtifact', TASK_THREAD_IDLE_MS),
    );
  }

  async compile(recording: string, artifact: string, onProgress: (fraction: number) => void): Promise<void> {
    const { port1, port2 } = new MessageChannel();
    port1.on('message', onProgress);
    const [thread] = this.#threads.toSorted((one, other) => one.tasks - other.tasks);
    try {
      await thread!.run({ recording, artifact, progress: port2 }, [port2]);
    } finally {
      port1.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
