// A file that says which live process holds something. Node has no file locks; this one is made by `link`, which exactly
// one process wins, and one left by a dead process is replaced.

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
  /** `pid` is null when the holder went away in the same moment: try again. */
  | { readonly kind: 'taken'; readonly pid: number | null };

/** Which file it is and when it was written: another one under its name differs in one of them. */
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
   * Gives it up; does nothing when it is no longer ours. Opens no file, so that a process that may open none any more does
   * not keep a claim of which it knows nothing.
   */
  async release(): Promise<void> {
    const found = await stampOf(this.#path);
    if (found?.ino === this.#stamp.ino && found.mtimeNs === this.#stamp.mtimeNs) await rm(this.#path, { force: true });
  }
}

/** The live process that holds `path`, or null. */
export async function pidFileHolder(path: string): Promise<number | null> {
  const content = await contentOf(path);
  return content === null ? null : liveHolder(content);
}

/** Claims `path` for this process, or tells who holds it. */
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
 * Removes the file of a dead process. Several may find it at the same time, and a slow one must not remove what a quick one
 * has put in its place. So the right to remove a certain content is claimed first, by a second name for the file that
 * exactly one process can give it; who finds something else under that name has come too late and removes nothing.
 */
async function removeStale(path: string, stale: string, clock: TimerClock): Promise<void> {
  const right = `${path}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}.stale`;
  try {
    await link(path, right);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return await forgetOldRight(right, clock);
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await contentOf(right)) === stale) await rm(path, { force: true });
  await rm(right, { force: true });
}

/** Its owner needs microseconds; one that is still there after seconds was killed in between. */
async function forgetOldRight(right: string, clock: TimerClock): Promise<void> {
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
