// Preloaded into every process and thread of a run of the suite. Node 22 strips the types of a module again in each of
// them: a third of the time that one takes to start. The suite does that once (test/suite.ts), and here modules are read
// as it left them. The folder is in this module's own URL: `?folder=`. What is left is mostly Node's search for the files
// of modules, so specifiers that name a file are not searched for.

import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';

const ROOT = new URL('../../', import.meta.url).href;
const PACKAGES = new URL('node_modules/', ROOT).href;
const folder = new URL(import.meta.url).searchParams.get('folder');

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

// The Node that runs npm may be too old for hooks. It loads none of our modules either.
nodeModule.registerHooks?.({
  resolve(specifier, context, next) {
    const url = named(specifier, context.parentURL);
    return url === null ? next(specifier, context) : { url, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(ROOT)) return next(url, context);
    const path = url.slice(ROOT.length).split('?')[0];
    if (!path.endsWith('.ts')) return next(url, context);
    try {
      return { format: 'module', source: readFileSync(`${folder}/${path}`), shortCircuit: true };
    } catch {
      return next(url, context);
    }
  },
});
