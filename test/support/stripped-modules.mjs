// Preloaded into every process and thread of a run of the suite. Node 22 strips the types of a module again in each of
// them: a third of the time that one takes to start. The suite does that once (test/suite.ts), and here modules are read
// as it left them; those of a copy of this checkout, such as an installed version, by their content. Much of what is left
// is Node's search for the files of modules, so specifiers that name a file are not searched for; compiling modules, so
// compiled code is kept; and optimising functions, which repays only in a process that lives longer than most of these,
// so it waits until they have run ten times as often, except with `?computes=`.
//
// The folders are in this module's own URL: `?stripped=` has the modules by their paths from the project's folder,
// `?copied=` by the SHA-256 of their text with types, and `?compiled=` is for compiled code.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

const ROOT = new URL('../../', import.meta.url).href;
const PACKAGES = new URL('node_modules/', ROOT).href;
const TYPED = /^file:[^?]+\.ts(?:\?|$)/;
const folders = new URL(import.meta.url).searchParams;
const stripped = folders.get('stripped');
const copied = folders.get('copied');

/**
 * The URL of a module of this checkout, or of a package within it, that the specifier names by its whole path. Null for
 * any other. Such a file has ES modules, so Node need not ask for a `package.json` either.
 */
function named(specifier, parentUrl) {
  if (!parentUrl?.startsWith(ROOT)) return null;
  if (specifier.startsWith('./') || specifier.startsWith('../'))
    return specifier.endsWith('.ts') || specifier.endsWith('.mjs') ? new URL(specifier, parentUrl).href : null;
  return specifier.startsWith('#') && specifier.endsWith('.ts') && !parentUrl.startsWith(PACKAGES)
    ? `${ROOT}${specifier.slice(1)}`
    : null;
}

/** The text without types, of a module of this checkout or of a copy of it. Throws if there is none. */
function strippedText(url) {
  const [plain] = url.split('?');
  if (plain.startsWith(ROOT)) return readFileSync(`${stripped}/${plain.slice(ROOT.length)}`);
  const typed = readFileSync(fileURLToPath(plain));
  return readFileSync(`${copied}/${createHash('sha256').update(typed).digest('hex')}`);
}

if (isMainThread && !folders.has('computes')) setFlagsFromString('--invocation-count-for-turbofan=30000');
nodeModule.enableCompileCache?.(folders.get('compiled'));

// The Node that runs npm may be too old for hooks. It loads none of our modules either.
nodeModule.registerHooks?.({
  resolve(specifier, context, next) {
    const url = named(specifier, context.parentURL);
    return url === null ? next(specifier, context) : { url, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!TYPED.test(url)) return next(url, context);
    try {
      return { format: 'module', source: strippedText(url), shortCircuit: true };
    } catch {
      return next(url, context);
    }
  },
});
