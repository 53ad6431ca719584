// Checks DATA_DIR and its disk: owner, rights, free space, and whether the disk is local, because network file systems
// neither lock nor sync as the database needs it.

import { randomUUID } from 'node:crypto';
import { lstat, open, readdir, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DISK_FREE_BYTES_MIN } from '#engine/base/limits.ts';
import { UNRECORDED_FOLDER } from '#engine/delivery/delivery-log/unrecorded-folder.ts';
import { errorCode, errorText } from '#engine/storage/storage-error.ts';
import { type Found, ok, problem, unknown, warning } from './finding.ts';

const MEBIBYTE = 1024 * 1024;
/**
 * Free space below which the doctor warns: room for a race's recording and delivery log, and for the database's own
 * log. Fewer free inodes than the second are a problem.
 */
const FREE_BYTES_WISE = 5 * 1024 * 1024 * 1024;
const FREE_FILES_MIN = 1_000;
const NETWORK_FILE_SYSTEMS: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB',
  16914839: '9P',
  12805120: 'Ceph',
  1397113167: 'AFS',
};
const PASSING_FILE_SYSTEMS: Readonly<Record<number, string>> = {
  16914836: 'in memory (tmpfs): all data is lost when the machine restarts',
  2035054128: 'a layer of a container (overlay): all data is lost with the container',
};

export async function checkDataDir(dataDir: string): Promise<readonly Found[]> {
  const stat = await lstat(dataDir).catch((error) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (stat === null) return [ok(`the first start makes ${dataDir}`), ...(await checkDisk(await existing(dataDir)))];
  if (!stat.isDirectory()) {
    const what = stat.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
    if (!stat.isSymbolicLink()) return [problem(`${dataDir} is ${what}`, 'Move it away, or choose another DATA_DIR.')];
    return [warning(`${dataDir} is ${what}`, 'Name the folder itself: a link can be redirected.')];
  }
  return [
    ...checkOwner(dataDir, stat.uid, stat.mode),
    await checkWriting(dataDir),
    ...(await checkUnrecorded(dataDir)),
    ...(await checkDisk(dataDir)),
  ];
}

/** What the database did not take at the end of a stop. */
async function checkUnrecorded(dataDir: string): Promise<Found[]> {
  const folder = join(dataDir, UNRECORDED_FOLDER);
  const names = await readdir(folder).catch((error) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  if (names.length === 0) return [];
  const files = names.length === 1 ? '1 file' : `${names.length} files`;
  return [
    warning(
      `${files} in ${folder} with attempts that the database did not take`,
      'The next start records them. If they are still there afterwards, its log says why.',
    ),
  ];
}

function checkOwner(dataDir: string, uid: number, mode: number): Found[] {
  const self = process.geteuid!();
  const modes = (mode & 0o777).toString(8).padStart(3, '0');
  if (uid !== self && self !== 0)
    return [
      problem(
        `${dataDir} belongs to user id ${uid}, this is user id ${self}`,
        'Run as that user, or change the owner: chown -R.',
      ),
    ];
  if ((mode & 0o022) !== 0) return [problem(`others may write to ${dataDir} (mode ${modes})`, `chmod go-w ${dataDir}`)];
  if ((mode & 0o044) !== 0) return [warning(`others may list ${dataDir} (mode ${modes})`, `chmod go-r ${dataDir}`)];
  if (uid !== self)
    return [warning(`${dataDir} belongs to user id ${uid}, and this is root`, 'Run the doctor as that user.')];
  return [ok(`${dataDir} belongs to this user (mode ${modes})`)];
}

/** Writes and syncs a file, as the service does. */
async function checkWriting(dataDir: string): Promise<Found> {
  const path = join(dataDir, `doctor.${randomUUID()}`);
  try {
    const startMs = performance.now();
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile('written by the doctor\n');
      await file.sync();
    } finally {
      await file.close();
    }
    return ok(`writing a file to the disk takes ${(performance.now() - startMs).toFixed(1)} ms`);
  } catch (error) {
    return problem(`cannot write: ${errorText(error)}`, 'Make room, or correct the owner or the mount.');
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}

async function checkDisk(folder: string): Promise<Found[]> {
  const { bavail, bsize, files, ffree, type } = await statfs(folder);
  const free = bavail * bsize;
  const found = [roomFinding(free)];
  // Some file systems create inodes on demand and report none.
  if (files > 0 && ffree < FREE_FILES_MIN) {
    found.push(problem(`the disk has room for only ${ffree} more files`, 'Remove files: the disk runs out of inodes.'));
  }
  const network = NETWORK_FILE_SYSTEMS[type];
  const passing = PASSING_FILE_SYSTEMS[type];
  if (process.platform !== 'linux') found.push(unknown('the kind of file system can be checked on Linux only'));
  else if (network !== undefined) {
    found.push(problem(`DATA_DIR is on a network file system (${network})`, 'Use a local disk.'));
  } else if (passing !== undefined) found.push(warning(`the file system is ${passing}`, 'Use a persistent disk.'));
  return found;
}

function roomFinding(free: number): Found {
  const text = `${Math.floor(free / MEBIBYTE).toLocaleString('en')} MiB are free`;
  if (free < DISK_FREE_BYTES_MIN) {
    return problem(
      `${text}: below ${DISK_FREE_BYTES_MIN / MEBIBYTE} MiB the service reports that it is not ready`,
      'Make room.',
    );
  }
  if (free < FREE_BYTES_WISE) {
    return warning(
      `${text}: the database's own log alone can take 1,024 MiB`,
      'Keep 5 GiB free; see Capacity in docs/operating.md.',
    );
  }
  return ok(text);
}

async function existing(path: string): Promise<string> {
  for (let place = dirname(path); ; place = dirname(place)) {
    if (await lstat(place).catch(() => null)) return place;
  }
}
