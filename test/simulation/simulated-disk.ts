// The disk of a simulation, with its files of unrecorded batches. It survives the death of processes.

import type { UnrecordedFiles } from '#engine/delivery/delivery-log/unrecorded-batches.ts';

export class SimulatedDisk implements UnrecordedFiles {
  readonly folder = 'unrecorded';
  readonly #files = new Map<string, Uint8Array>();
  /** New names of files that could not be recorded. */
  readonly aside: string[] = [];

  names(): string[] {
    return [...this.#files.keys()].sort();
  }

  write(name: string, parts: readonly Uint8Array[]): void {
    this.#files.set(name, Buffer.concat(parts));
  }

  read(name: string): Uint8Array {
    return this.#files.get(name)!;
  }

  remove(name: string): void {
    this.#files.delete(name);
  }

  setAside(name: string, reason: 'damaged' | 'refused'): string {
    this.remove(name);
    this.aside.push(`${name}.${reason}`);
    return this.aside.at(-1)!;
  }
}
