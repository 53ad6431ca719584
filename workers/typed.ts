// The commands of a text as they are typed here. Texts have those of a checkout. A server that runs a bundle has no npm:
// there the programs of the bundle are named.

import { existsSync } from 'node:fs';

const IN_BUNDLE = existsSync(new URL('../bin/slipstream-admin', import.meta.url));

export function typed(text: string, inBundle: boolean = IN_BUNDLE): string {
  if (!inBundle) return text;
  return text
    .replaceAll('npm run admin --', 'bin/slipstream-admin')
    .replaceAll('npm start --', 'bin/slipstream')
    .replaceAll('npm start', 'bin/slipstream');
}
