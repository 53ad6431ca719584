// A lock file that names the live process that holds it. Node has no file locks. This one is made with `link`, which
// succeeds for exactly one process. A file left by a dead process is replaced.

import { createHash } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { TimerClock } from '#engine/base/clock.ts';
import { PID_FILE_PAUSE_MS, PID_FILE_RIGHT_MS, PID_FILE_TRIES_MAX } from '#engine/base/limits.ts';
import type { RandomBytes } from '#engine/base/random.ts';
import { errorCode } from '#engine/storage/storage-error.ts';
import { processIdentity } from './process-identity.ts';

const TOKEN_BYTES = 16;

export type PidFileClaim =
  | { readonly kind: 'held'; readonly file: PidFile }
  /** `pid` is null when the holder has just gone: try again. */
  | { readonly kind: 'taken'; readonly pid: number | null };

/** Identifies the file and its writing: another file under the same name differs in one of the two. */
interface Stamp {
  readonly ino: bigint;
  readonly mtimeNs: bigint;
}

export class PidFile {
  readonly #path: string;
  readonly #stamp: Stamp;

  constructor(path: string, stamp: Stamp) {
    this.#path = path;
    this.#stamp = stamp;
  }

  /**
   * Releases the claim. Does nothing when the file is no longer ours. Opens no file, so a process that has run out of
   * file descriptors can still release its claim.
   */
  async release(): Promise<void> {
    const found = await stampOf(this.#path);
    if (found?.ino === this.#stamp.ino && found.mtimeNs === this.#stamp.mtimeNs) await rm(this.#path, { force: true });
  }
}

/** Returns the id of the live process that holds `path`, or null. */
export async function pidFileHolder(path: string): Promise<number | null> {
  const content = await contentOf(path);
  return content === null ? null : liveHolder(content);
}

/** Claims `path` for this process, or returns the process that holds it. */
export async function claimPidFile(path: string, clock: TimerClock, randomBytes: RandomBytes): Promise<PidFileClaim> {
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const content = `${JSON.stringify({ pid: process.pid, identity: processIdentity(process.pid), token })}\n`;
  const own = `${path}.${token}`;
  try {
    await writeFile(own, content, { flag: 'wx', mode: 0o644 });
    const stamp = await stat(own, { bigint: true });
    for (let tries = 0; tries < PID_FILE_TRIES_MAX; tries++) {
      try {
        await link(own, path);
        return { kind: 'held', file: new PidFile(path, stamp) };
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      const present = await contentOf(path);
      if (present === null) continue;
      const holder = liveHolder(present);
      if (holder !== null) return { kind: 'taken', pid: holder };
      await removeStale(path, present, clock);
    }
    return { kind: 'taken', pid: null };
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Removes the file of a dead process. Several processes may find it at the same time, and a slow one must not remove
 * the new file of a fast one. So a process first claims the right to remove this content: it links the file under a
 * second name, which only one process can do. If the content under that name is different, the process is too late and
 * removes nothing.
 */
async function removeStale(path: string, stale: string, clock: TimerClock): Promise<void> {
  const right = `${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}.stale`;
  try {
    await link(path, right);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return await removeOldRight(right, clock);
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await contentOf(right)) === stale) await rm(path, { force: true });
  await rm(right, { force: true });
}

/** Removes a right whose owner was killed. A live owner needs only microseconds. */
async function removeOldRight(right: string, clock: TimerClock): Promise<void> {
  const made = await stat(right).catch(() => null);
  if (made !== null && clock.wallMs() - made.ctimeMs > PID_FILE_RIGHT_MS) await rm(right, { force: true });
  else await clock.sleep(PID_FILE_PAUSE_MS);
}

function liveHolder(content: string): number | null {
  let holder: { pid?: unknown; identity?: unknown } | null;
  try {
    holder = JSON.parse(content);
  } catch {
    return null;
  }
  const pid = holder?.pid;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
  return processIdentity(pid) === holder?.identity ? pid : null;
}

async function contentOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function stampOf(path: string): Promise<Stamp | null> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
