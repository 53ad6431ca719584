// Versions of the service beside each other in one folder, and a link to the one that runs, as docs/operating.md
// installs them: from a bundle that is made once. The versions share their files, so a change replaces a file and never
// writes into one.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Programs } from '#bench/load/crash-service.ts';
import { bundleContents } from '#workers/bundle/bundle-contents.ts';
import { ownPlatform } from '#workers/bundle/platform.ts';
import { tarArchive } from '#workers/bundle/tar-archive.ts';
import { temporaryDataDir } from './database.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Each returns the new text of a file. */
export type Changes = Readonly<Record<string, (text: string) => string>>;

export class InstalledVersions {
  /** The link to the version that runs. */
  readonly link: string;
  readonly #folder: string;
  readonly #unpacked: string;

  private constructor(folder: string, unpacked: string) {
    this.#folder = folder;
    this.#unpacked = unpacked;
    this.link = join(folder, 'slipstream');
  }

  /** Unpacks a bundle of this checkout while it is made: compressing it would be the slow part. */
  static async unpack(): Promise<InstalledVersions> {
    const folder = temporaryDataDir();
    const { entries, version } = await bundleContents(ROOT, ownPlatform());
    const tar = spawn('tar', ['-x', '-C', folder], { stdio: ['pipe', 'inherit', 'inherit'] });
    const ended = once(tar, 'close');
    await pipeline(tarArchive(entries), tar.stdin);
    assert.deepEqual(await ended, [0, null]);
    const unpacked = join(folder, 'unpacked');
    renameSync(join(folder, `slipstream-${version}`), unpacked);
    return new InstalledVersions(folder, unpacked);
  }

  /** Programs of the version that the link leads to. */
  get programs(): Programs {
    return { service: [join(this.link, 'bin/slipstream')], admin: [join(this.link, 'bin/slipstream-admin')] };
  }

  folderOf(version: string): string {
    return join(this.#folder, `slipstream-${version}`);
  }

  /**
   * Installs a version, or installs it again. It differs from this checkout by its number and by `changes` of its
   * files, by their paths. A file that does not exist yet has the text ''.
   */
  install(version: string, changes: Changes = {}): void {
    const folder = this.folderOf(version);
    this.remove(version);
    execFileSync('cp', ['-al', this.#unpacked, folder]);
    const renumbered = (text: string): string => text.replace(/"version": "[^"]+"/, `"version": "${version}"`);
    for (const [path, change] of Object.entries({ 'package.json': renumbered, ...changes })) {
      const file = join(folder, path);
      const text = readFileSync(file, { encoding: 'utf8', flag: 'a+' });
      const changed = change(text);
      assert.notEqual(changed, text, `${path} is changed`);
      rmSync(file);
      writeFileSync(file, changed);
    }
  }

  /** Links the version. What runs keeps running. */
  switchTo(version: string): void {
    const next = `${this.link}.next`;
    symlinkSync(this.folderOf(version), next);
    renameSync(next, this.link);
  }

  remove(version: string): void {
    rmSync(this.folderOf(version), { recursive: true, force: true });
  }
}
