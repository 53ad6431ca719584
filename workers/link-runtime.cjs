// Runs after `npm ci`, on whatever Node the machine has: makes `node_modules/.bin/node` the project's own Node 22.
//
// npm does that by itself from version 9 on. Older ones unlink it again when they drop the runtimes of other platforms,
// which carry a program of the same name.

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
  console.error(
    `There is no packaged Node 22 for ${platform}: install Node 22.18 or newer of that line, then run npm ci.`,
  );
  process.exitCode = 1;
}
