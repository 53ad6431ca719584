// Preloaded into every process and thread of a run of the suite. Node 22 strips the types of a module again in each of
// them: a third of the time that one takes to start. The suite does that once (test/suite.ts), and here modules are read
// as it left them. The folder is in this module's own URL: `?folder=`.

import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';

const ROOT = new URL('../../', import.meta.url).href;
const folder = new URL(import.meta.url).searchParams.get('folder');

// The Node that runs npm may be too old for hooks. It loads none of our modules either.
nodeModule.registerHooks?.({
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
