// Makes what browsers get of a page from its source in `app/`: the console's, or that of operators. Nothing of it is kept
// on disk.

import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { build, type Plugin, stop } from 'esbuild';

/** The first file of each page. */
const ENTRIES = { console: 'main.tsx', operators: 'operators/operators.tsx' } as const;
const APP = fileURLToPath(new URL('app/', import.meta.url));
/** Brotli's levels above cost seconds and save a few bytes. */
const BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: 9 } };

export interface ConsoleFile {
  readonly contentType: string;
  readonly plain: Uint8Array;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

export interface BuiltConsole {
  /** By name; a name holds a hash of the content. */
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** The names of what the first page loads: its script, the parts of it that the script imports, and the style sheet. */
  readonly script: string;
  readonly imports: readonly string[];
  readonly style: string;
}

/**
 * Takes about 0.2 s, in a process of esbuild's own. Rejects if the source has an error. `plugins`: what tests put in the
 * place of files.
 */
export async function buildConsole(page: keyof typeof ENTRIES, plugins: Plugin[] = []): Promise<BuiltConsole> {
  const entry = ENTRIES[page];
  const { outputFiles, metafile } = await build({
    absWorkingDir: APP,
    entryPoints: { [page]: entry },
    plugins,
    outdir: APP,
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    logLevel: 'silent',
  });
  await stop();
  const files = new Map<string, ConsoleFile>();
  for (const { path, contents } of outputFiles) files.set(path.slice(APP.length), await compressed(path, contents));
  const [script, made] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)!;
  const imports = made.imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path);
  return { files, script, imports, style: made.cssBundle! };
}

async function compressed(path: string, plain: Uint8Array): Promise<ConsoleFile> {
  const [br, gz] = await Promise.all([promisify(brotliCompress)(plain, BROTLI), promisify(gzip)(plain)]);
  const contentType = path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  return { contentType, plain, br, gzip: gz };
}

/** Identifies a page, for browsers that have it already. */
export function tagOf(content: string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}
