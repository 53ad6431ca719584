// The program of the package: workers/listen/slipstream-client.ts and what it runs of the rest of the project, found by
// following its imports. Imports of types alone are gone by then.
//
// The files keep their places and their imports by `#`: the manifest says where these lead. What the program uses of the
// client is the package's own.

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { assert } from '#engine/base/assert.ts';

/** Where the program is in the package. */
export const PROGRAM_FOLDER = 'listen';

const ENTRY = 'workers/listen/slipstream-client.js';

export const PROGRAM_MANIFEST = {
  bin: { 'slipstream-client': `./${PROGRAM_FOLDER}/${ENTRY}` },
  imports: {
    '#api/client/*.ts': './dist/*.js',
    '#engine/*.ts': `./${PROGRAM_FOLDER}/engine/*.js`,
    '#schemas/*.ts': `./${PROGRAM_FOLDER}/schemas/*.js`,
    '#workers/*.ts': `./${PROGRAM_FOLDER}/workers/*.js`,
  },
} as const;

/** `compiled`: folder with the compiled files of the project, in their places. */
export async function copyProgram(compiled: string, folder: string): Promise<void> {
  const open = [ENTRY];
  const found = new Set(open);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    const target = join(folder, file);
    await mkdir(dirname(target), { recursive: true });
    const text = forNode18(await readFile(join(compiled, file), 'utf8'));
    await writeFile(target, text);
    for (const imported of importsOf(file, text)) {
      if (found.has(imported)) continue;
      found.add(imported);
      open.push(imported);
    }
  }
}

/** Signing uses a function that Node 18 lacks. */
function forNode18(text: string): string {
  return text.replace("import { hash } from 'node:crypto';", "import { hash } from '#workers/listen/hash.ts';");
}

/** The compiled files of this project that the file imports, apart from those of the client. */
function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(/^(?:import|\} from|import .* from|export .* from) '([^']+)';$/gm)].flatMap(([, name]) => {
    if (name!.startsWith('node:') || name!.startsWith('#api/client/')) return [];
    if (name!.startsWith('./')) return [join(dirname(file), name!)];
    assert(
      /^#(?:engine|schemas|workers)\/.*\.ts$/.test(name!),
      `${file} imports ${name}, which the package does not have`,
    );
    return [name!.slice(1).replace(/ts$/, 'js')];
  });
}
