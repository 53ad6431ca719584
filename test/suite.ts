// `npm test`: the whole suite, or what is named.
//
//   npm test
//   npm test -- test/api/*.test.ts --test-name-pattern I10
//
// Most test files have a database or a service of their own, and making one anew takes longer than many a test. So both are
// made once, and files begin with a copy (test/support/database.ts). What the services and commands of all tests print is
// kept until the end, and looked through for secrets together with what the tests print themselves.

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanOutput } from '#test/security/output-scan.ts';
import { openTestDatabase } from '#test/support/database.ts';
import { startService } from '#test/support/service-process.ts';

/** Most tests wait for something half of the time. */
const FILES_AT_ONCE = 2 * availableParallelism();

const folder = mkdtempSync(join(tmpdir(), 'slipstream-suite-'));
// PostgreSQL's own user passes through, when the tests run as root.
chmodSync(folder, 0o711);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
/** What runs the test files, once it does. */
let runner: ChildProcess | null = null;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // It ends its files, and what they have started ends with them.
  process.on(signal, () => (runner === null ? process.exit(1) : runner.kill(signal)));
}
process.exitCode = await runSuite(process.argv.slice(2));

async function runSuite(args: readonly string[]): Promise<number> {
  const templates = join(folder, 'templates');
  const outputs = join(folder, 'outputs');
  mkdirSync(outputs);
  await makeTemplates(templates);
  const failed = await runTests(args, { TEST_TEMPLATES: templates, TEST_OUTPUT_DIR: outputs });
  const findings = scanOutput(outputs);
  for (const { file, line, kind } of findings)
    process.stderr.write(`a secret was printed: ${kind} (${file}, line ${line})\n`);
  return failed || findings.length > 0 ? 1 : 0;
}

async function makeTemplates(templates: string): Promise<void> {
  const [database, service] = [join(templates, 'database'), join(templates, 'service')];
  for (const path of [templates, database, service]) mkdirSync(path, { mode: 0o711 });
  await (await openTestDatabase(database)).close();
  await (await startService(service)).end('SIGTERM');
  // Every service has a key of its own.
  rmSync(join(service, 'secret.key'));
}

function runTests(args: readonly string[], env: Readonly<Record<string, string>>): Promise<boolean> {
  const named = args.some((arg) => !arg.startsWith('-'));
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${FILES_AT_ONCE}`,
      '--test-reporter=spec',
      ...args,
      ...(named ? [] : ['test/**/*.test.ts']),
    ],
    {
      env: { ...process.env, ...env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const kept = createWriteStream(join(env.TEST_OUTPUT_DIR!, 'tests.txt'));
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from.pipe(to, { end: false });
    from.pipe(kept, { end: false });
  }
  runner = child;
  return new Promise((resolve) => child.on('close', (code) => kept.end(() => resolve(code !== 0))));
}
