// The package of the client: what the compiler makes of api/client/ and of the program `listen`, with a manifest, the guide
// and the licence, packed by npm.
//
// The compiler alone makes it. A bundler would save the requests of a browser, and this runs in Node; the files stay as
// readable as their sources.

import { execFile } from 'node:child_process';
import { cp, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assert } from '#engine/base/assert.ts';
import { copyProgram, PROGRAM_FOLDER, PROGRAM_MANIFEST } from './client-program.ts';

export interface PackedClient {
  readonly file: string;
  readonly version: string;
  readonly files: number;
  readonly bytes: number;
}

const NAME = 'slipstream-client';
const run = promisify(execFile);

/** Puts the package of the checkout `root` into the folder. */
export async function packClient(root: string, folder: string): Promise<PackedClient> {
  const draft = await mkdtemp(join(tmpdir(), `${NAME}-`));
  try {
    await compile(root, 'api/client', join(draft, 'dist'));
    await compile(root, 'workers/listen', join(draft, 'compiled'));
    await copyProgram(join(draft, 'compiled'), join(draft, PROGRAM_FOLDER));
    // The compiler leaves the imports of declarations as they are, and not every version of it finds `.ts` there.
    for await (const file of glob(join(draft, 'dist/*.d.ts'))) {
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replaceAll(/(?<=from '\.\/[\w-]+)\.ts(?=';)/g, '.js'));
    }
    const { version, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    await writeFile(join(draft, 'package.json'), `${JSON.stringify(manifest(version, license), null, 2)}\n`);
    await writeFile(join(draft, 'README.md'), readme(await readFile(join(root, 'docs/client.md'), 'utf8')));
    await cp(join(root, 'LICENSE'), join(draft, 'LICENSE'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: draft });
    const [packed] = JSON.parse(stdout) as { filename: string; entryCount: number; size: number }[];
    assert(packed !== undefined, 'npm says what it has packed');
    return { file: join(folder, packed.filename), version, files: packed.entryCount, bytes: packed.size };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Compiles the project of this folder. */
async function compile(root: string, project: string, folder: string): Promise<void> {
  const options = ['--project', join(root, project, 'tsconfig.json'), '--outDir', folder];
  await run(join(root, 'node_modules/.bin/tsc'), options).catch((error) => {
    throw new Error(`${project} does not compile: ${error.stdout || error.message}`);
  });
}

function manifest(version: string, license: string): object {
  return {
    name: NAME,
    version,
    description:
      'Typed client of the race-data webhook service Slipstream: calls, streams that resume, signatures, and a tunnel to a laptop.',
    license,
    type: 'module',
    exports: { '.': { types: `./dist/${NAME}.d.ts`, default: `./dist/${NAME}.js` } },
    types: `./dist/${NAME}.d.ts`,
    ...PROGRAM_MANIFEST,
    files: ['dist', PROGRAM_FOLDER],
    sideEffects: false,
    engines: { node: '>=18' },
  };
}

/** The guide without what is for operators or for the tests, and without links to documents that the package does not have. */
function readme(guide: string): string {
  return guide
    .replaceAll(/<!-- operators -->.*?<!-- \/operators -->\n*/gs, '')
    .replaceAll(/<!--.*?-->\n*/gs, '')
    .replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1');
}
