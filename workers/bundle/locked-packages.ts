// The packages that the service needs at run time on one platform, as package-lock.json says, and whether node_modules
// has exactly those. Needs neither npm nor the network.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BundleRefused } from './bundle-refused.ts';
import type { Platform } from './platform.ts';

/** An entry of package-lock.json. */
interface Locked {
  readonly version?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Lock = Readonly<Record<string, Locked>>;

/** Packages that only an installation runs: the patch of the driver, and a package that reports installations. */
const INSTALL_ONLY: ReadonlySet<string> = new Set(['patch-package', '@scarf/scarf']);
const AGAIN = 'Install again on this machine: npm ci';

/**
 * Returns the folders of the packages below `root`, such as `node_modules/ajv`, sorted. Throws a BundleRefused if one is
 * missing or is not the locked version.
 */
export function lockedPackages(root: string, platform: Platform): string[] {
  const lock = readLock(root);
  const folders = [...closure(lock, platform)].sort();
  for (const folder of folders) requireInstalled(root, folder, lock[folder]!);
  return folders;
}

function readLock(root: string): Lock {
  const own = readJson(join(root, 'package.json')) as Locked;
  const { packages } = readJson(join(root, 'package-lock.json')) as { packages: Lock };
  const locked = packages[''] ?? {};
  for (const kind of ['dependencies', 'optionalDependencies'] as const) {
    if (sorted(own[kind]) !== sorted(locked[kind])) {
      throw new BundleRefused(`package-lock.json: its ${kind} are not those of package.json. Run npm install`);
    }
  }
  return packages;
}

function closure(lock: Lock, platform: Platform): Set<string> {
  const needed = new Set<string>();
  const waiting = [''];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const name of neededBy(lock[from]!)) {
      const folder = resolved(lock, from, name);
      // An optional peer that nothing else needs is in no lock.
      if (folder === null || needed.has(folder) || !fits(lock[folder]!, platform)) continue;
      needed.add(folder);
      waiting.push(folder);
    }
  }
  return needed;
}

function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Locked): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
  const all = [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
  return all.filter((name) => !INSTALL_ONLY.has(name));
}

/** Looks for the package where Node would: in the node_modules of `from` and of each folder above it. */
function resolved(lock: Lock, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const found = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`;
    if (found in lock) return found;
    if (folder === '') return null;
  }
}

function fits({ os, cpu, libc }: Locked, platform: Platform): boolean {
  return (
    (os === undefined || os.includes(platform.os)) &&
    (cpu === undefined || cpu.includes(platform.cpu)) &&
    (libc === undefined || platform.libc === null || libc.includes(platform.libc))
  );
}

function requireInstalled(root: string, folder: string, { version }: Locked): void {
  const installed = readJson(join(root, folder, 'package.json'), folder) as { version?: string };
  if (installed.version !== version) {
    throw new BundleRefused(
      `${folder} is version ${installed.version}, but package-lock.json has ${version}. ${AGAIN}`,
    );
  }
}

function readJson(path: string, name = path): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new BundleRefused(`${name} is missing. ${AGAIN}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new BundleRefused(`${path} is not JSON. ${AGAIN}`);
  }
}

function sorted(versions: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify(Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1)));
}
