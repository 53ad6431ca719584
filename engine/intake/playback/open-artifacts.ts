// Playback artifacts in shared memory. Each takes megabytes, and a run holds one for hours.
//
// OA1 An artifact that is open is not read again: its users share one copy.
// OA2 All open artifacts together take at most ARTIFACTS_OPEN_BYTES_MAX, unless a single one is larger. Those without a
//     user make room, the longest unused first. If that is not enough, opening another one fails.

import { assert } from '#engine/base/assert.ts';
import { ARTIFACTS_OPEN_BYTES_MAX, ARTIFACTS_UNUSED_MAX } from '#engine/base/limits.ts';
import type { OpenArtifact } from './playback-library.ts';

/** The artifacts in use take all the memory that is meant for them. */
export class ArtifactsFull extends Error {
  override readonly name = 'ArtifactsFull';
}

/** What an artifact's users share. */
export type LoadedArtifact = Omit<OpenArtifact, 'release'>;

interface Entry {
  readonly bytes: number;
  readonly loaded: Promise<LoadedArtifact | null>;
  users: number;
}

export class OpenArtifacts {
  /** By key; the longest unused first among those without a user. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /**
   * Opens an artifact of this size, or shares the open one. `read` loads it; null if it cannot be used. Rejects with
   * ArtifactsFull (OA2).
   */
  async use(key: string, bytes: number, read: () => Promise<LoadedArtifact | null>): Promise<OpenArtifact | null> {
    const entry = this.#entries.get(key) ?? this.#add(key, bytes, read);
    entry.users++;
    const release = (): void => {
      assert(entry.users > 0, 'a user releases an artifact once');
      entry.users--;
      if (entry.users > 0 || this.#entries.get(key) !== entry) return;
      // Behind those that have been unused for longer.
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#dropUnused((unused) => unused > ARTIFACTS_UNUSED_MAX);
    };
    let loaded: LoadedArtifact | null = null;
    try {
      loaded = await entry.loaded;
    } finally {
      if (loaded === null) {
        this.#forget(key, entry);
        release();
      }
    }
    return loaded === null ? null : { ...loaded, release: once(release) };
  }

  /** Whether the artifact has a user. */
  isUsed(key: string): boolean {
    return (this.#entries.get(key)?.users ?? 0) > 0;
  }

  /** Drops artifacts without a user. */
  clear(): void {
    this.#dropUnused(() => true);
  }

  #add(key: string, bytes: number, read: () => Promise<LoadedArtifact | null>): Entry {
    this.#dropUnused(() => this.#bytes + bytes > ARTIFACTS_OPEN_BYTES_MAX);
    if (this.#bytes > 0 && this.#bytes + bytes > ARTIFACTS_OPEN_BYTES_MAX)
      throw new ArtifactsFull('the artifacts in use take all the memory that is meant for them');
    const entry: Entry = { bytes, loaded: read(), users: 0 };
    this.#entries.set(key, entry);
    this.#bytes += bytes;
    return entry;
  }

  /** Drops the longest unused one while `isTooMuch` of their number. */
  #dropUnused(isTooMuch: (unused: number) => boolean): void {
    const unused = [...this.#entries].filter(([, { users }]) => users === 0);
    while (unused.length > 0 && isTooMuch(unused.length)) {
      const [key, entry] = unused.shift()!;
      this.#forget(key, entry);
    }
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
