// Checks Node and the native parts, which are built for one version of Node and one platform.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DOCTOR_VERSION_MS } from '#engine/base/limits.ts';
import { findPackage } from '#engine/storage/embedded/server-binaries.ts';
import { correctedDriver } from '#engine/storage/postgres-driver.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import { type Found, ok, problem } from './finding.ts';

const NODE_MAJOR = 22;
const NODE_MINOR_MIN = 18;
const INSTALL =
  'Unpack the bundle again; in a checkout install again on this machine, with optional dependencies: npm ci';

export async function checkRuntime(builtInDatabase: boolean): Promise<readonly Found[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const fits = major === NODE_MAJOR && minor >= NODE_MINOR_MIN;
  const node = `Node ${process.versions.node} for ${process.platform}-${process.arch}`;
  return [
    fits
      ? ok(node)
      : problem(
          `${node}; ${NODE_MAJOR}.${NODE_MINOR_MIN} or a later ${NODE_MAJOR} is needed`,
          'Start it with npm or the programs of a bundle, which use the Node of the project.',
        ),
    await part('uWebSockets.js, the HTTP front', async () => void (await import('uWebSockets.js')).App),
    await part('Argon2, for passwords', async () => void (await (await import('@node-rs/argon2')).hash('a password'))),
    checkDriver(),
    ...(builtInDatabase ? [await part('PostgreSQL, the built-in database', runPostgres)] : []),
  ];
}

async function part(name: string, load: () => Promise<void>): Promise<Found> {
  return load().then(
    () => ok(`${name}, works`),
    (error) => problem(`${name}, does not work: ${errorText(error).split('\n')[0]}`, INSTALL),
  );
}

function checkDriver(): Found {
  try {
    correctedDriver();
    return ok('postgres, the database driver, is patched');
  } catch (error) {
    return problem(errorText(error), INSTALL);
  }
}

async function runPostgres(): Promise<void> {
  const { native } = await findPackage();
  await promisify(execFile)(join(native, 'bin', 'postgres'), ['--version'], { timeout: DOCTOR_VERSION_MS, env: {} });
}
