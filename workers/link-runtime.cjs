// Runs after `npm ci`, on any Node that the machine has, and links `node_modules/.bin/node` to the project's own Node
// 22.
//
// npm 9 and later make this link themselves. Older versions remove it again when they drop the runtimes of other
// platforms, which contain a program of the same name.

const fs = require('node:fs');
const path = require('node:path');

const modules = path.join(__dirname, '..', 'node_modules');
const link = path.join(modules, '.bin', 'node');
const platform = `${process.platform}-${process.arch}`;
const runtime = [`node-${platform}`, `node-bin-${platform}`]
  .map((name) => path.join('..', name, 'bin', 'node'))
  .find((program) => fs.existsSync(path.join(modules, '.bin', program)));

if (runtime !== undefined) {
  fs.rmSync(link, { force: true });
  fs.symlinkSync(runtime, link);
} else if (Number(process.versions.node.split('.')[0]) !== 22) {
  console.error(`There is no packaged Node 22 for ${platform}. Install Node 22.18 or a later 22, then run npm ci.`);
  process.exitCode = 1;
}
