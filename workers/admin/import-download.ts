// Downloads a session into DATA_DIR/downloads before an import. Needs no database. Ctrl-C ends it cleanly and keeps
// what has arrived; the next import of the same address continues from there.

import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import type { ArchiveAddress } from '#engine/intake/source/archive-download/archive-address.ts';
import { DOWNLOAD_PAUSE_MS, downloadArchive } from '#engine/intake/source/archive-download/archive-download.ts';
import { readConfig } from '#workers/config.ts';
import { makeDataDir } from '#workers/data-dir.ts';
import type { Terminal } from './command.ts';
import { interruptibly } from './interruption.ts';

const MEBIBYTE = 1024 * 1024;

/**
 * Returns the folder with the session's files. `mayLackSession`: the operator gave the id, so SessionInfo may be
 * missing.
 */
export async function downloadForImport(
  terminal: Terminal,
  address: ArchiveAddress,
  mayLackSession: boolean,
): Promise<string> {
  const { dataDir } = readConfig(terminal.env);
  await makeDataDir(dataDir);
  const folder = join(dataDir, 'downloads', address.slug);
  return interruptibly(async (signal) => {
    const { UndiciArchiveClient } = await import('#engine/intake/source/archive-download/undici-archive-client.ts');
    const client = new UndiciArchiveClient();
    try {
      const { missing } = await downloadArchive(address.baseUrl, folder, mayLackSession, {
        client,
        signal,
        wallMs: () => systemClock.wallMs(),
        pause(ms) {
          if (ms > DOWNLOAD_PAUSE_MS) terminal.progress(`trying again in ${Math.ceil(ms / 1000)} s`);
          return pause(ms, undefined, { signal });
        },
        onProgress(file, files, name, bytes) {
          terminal.progress(`downloading ${name} (${file} of ${files}): ${(bytes / MEBIBYTE).toFixed(1)} MiB`);
        },
      });
      for (const [topic, reason] of missing)
        terminal.say(`topic ${topic} is left out: it is missing in the archive (${reason})`);
      return folder;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      await client.close();
    }
  });
}
