// `npm test`: runs the whole suite, or the files that its arguments name.
//
//   npm test
//   npm test -- test/api/*.test.ts --test-name-pattern I10
//
// Starting would take most of the time: a runtime with all modules for each file, and a database for most. So files
// that only compute share a process, one folder after the other, and so do files of `test/contract/` that share a
// service. The others run beside them, a process each, and start from a copy of a database or of a service's folder that
// is made once (test/support/database.ts). The types of all modules are stripped once, and compiled code is kept
// (test/support/stripped-modules.mjs). All of this lies in memory where there is room. At the end, the suite searches for
// secrets in the output of all services, commands and tests.
//
// The whole suite also checks types, lint and format: types are stripped when the code runs, so no test would notice.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  appendFileSync,
  chmodSync,
  constants,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { unpackChromium } from '#bench/browser/chromium.ts';
import { scanOutput } from '#test/security/output-scan.ts';
import { computingTests } from '#test/support/computing-tests.ts';
import { openTestDatabase } from '#test/support/database.ts';
import { startService } from '#test/support/service-process.ts';
import { readSuiteArguments } from '#test/support/suite-arguments.ts';

const HELP = `npm test -- [FILE...] [--test-name-pattern TEXT]

Without a FILE: everything, with types, lint and format; about fifteen minutes on two cores. At the end it searches all that was
printed for secrets.

  --test-name-pattern TEXT   only the tests whose title matches TEXT, a regular expression
  --help                     print this text

Other options are those of Node's test runner. For one file, \`node --test FILE\` is faster.

  npm test -- test/api/*.test.ts --test-name-pattern token

Exit code 0: all is well. 1: a test failed, or a secret was printed.
`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PRELOADED = new URL('support/stripped-modules.mjs', import.meta.url);
/** Folders whose tests start no server, process or database. Each group has its own process, which bounds the memory. */
const COMPUTING = [
  'test/racing/**',
  'test/{base,intake,timeline}/**',
  'test/delivery/{cluster,endpoint,filter,meter,shard,sign,usage}/**',
  'test/seasons/{calendar,forecast}/**',
];
/** How a file imports the service that it shares: each such module has one. */
const SHARED_SERVICE = /^import \{ service \} from '(\.\/[\w-]+\.ts)';$/m;
/** Concurrent files of the other tests. Most of them wait half of the time. */
const FILES_AT_ONCE = 2 * availableParallelism() - 1;
/** Half of the young generation of tests that compute. With Node's 16 MiB, collections took a tenth of their time. */
const YOUNG_GENERATION_MIB = 64;
/** A file that takes longer hangs: the slowest takes less than two minutes. */
const FILE_TIMEOUT_MS = 480_000;
/** A line of the runner's totals, with or without terminal colours. */
const TOTAL = /^\W*(tests|suites|pass|fail|cancelled|skipped|todo) (\d+)\W*$/;

/** A file system in memory, and the room that it must have: a machine with little memory uses its disk. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 4 * 1024 ** 3;

if (process.argv.includes('--help')) {
  process.stdout.write(HELP);
  process.exit();
}

const fastest = fastestFolder();
const folder = mkdtempSync(join(fastest, 'slipstream-suite-'));
// When the tests run as root, PostgreSQL's own user must pass through.
chmodSync(folder, 0o711);
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const templates = join(folder, 'templates');
const stripped = join(folder, 'stripped');
const copied = join(folder, 'copied');
const outputs = join(folder, 'outputs');
const chromium = join(folder, 'chromium');

const runners = new Set<ChildProcess>();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // The runners end their files, and the files end what they started.
  process.on(signal, () => {
    interrupted = true;
    for (const runner of runners) runner.kill(signal);
    if (runners.size === 0) process.exit(1);
  });
}
process.exitCode = await runSuite(process.argv.slice(2));

async function runSuite(args: readonly string[]): Promise<number> {
  const startMs = performance.now();
  mkdirSync(outputs);
  stripTypes();
  await makeTemplates();
  const { files, options } = readSuiteArguments(args);
  if (files.length === 0 || files.some((file) => file.includes('console'))) await unpackChromium(chromium);
  const sums = new Map<string, number>();
  const codes =
    files.length > 0
      ? [await runTests([`--test-concurrency=${FILES_AT_ONCE}`, ...options, ...files], sums)]
      : (
          await Promise.all([
            runCheck(),
            runTogether(computingGroups(), options, sums, nodeOptions('computes')),
            runTogether(sharingGroups(), options, sums, nodeOptions('starts')),
            runOthers(options, sums),
          ])
        ).flat();
  for (const [what, count] of sums) process.stdout.write(`ℹ ${what} ${count}\n`);
  process.stdout.write(`ℹ ${((performance.now() - startMs) / 1_000).toFixed(0)} s\n`);
  const findings = scanOutput(outputs);
  for (const { file, line, kind } of findings)
    process.stderr.write(`a secret was printed: ${kind} (${file}, line ${line})\n`);
  return codes.every((code) => code === 0) && findings.length === 0 ? 0 : 1;
}

/** Runs `npm run check` and shows its output if it fails. */
async function runCheck(): Promise<(number | null)[]> {
  const startMs = performance.now();
  const checker = spawn('npm', ['run', '--silent', 'check'], { stdio: ['ignore', 'pipe', 'pipe'] });
  runners.add(checker);
  const lines: string[] = [];
  const ended = new Promise<number | null>((resolve) => {
    checker.once('error', (error) => {
      lines.push(error.message);
      resolve(null);
    });
    checker.once('close', resolve);
  });
  await Promise.all([checker.stdout, checker.stderr].map((stream) => eachLine(stream, (line) => lines.push(line))));
  const code = await ended;
  runners.delete(checker);
  const tookS = ((performance.now() - startMs) / 1_000).toFixed(0);
  if (code !== 0) for (const line of lines) print(process.stderr, line);
  print(
    process.stdout,
    code === 0 ? `✔ types, lint and format (${tookS} s)` : '✖ types, lint and format: npm run check',
  );
  return [code];
}

/** A database has a thousand files. Making them takes seven times as much CPU time on a disk as in memory. */
function fastestFolder(): string {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/mounts', 'utf8').match(new RegExp(`^\\S+ ${MEMORY} \\S+ (\\S+)`, 'm'))?.[1];
    // Tests run programs there. A container may forbid it.
    const runsPrograms = mount !== undefined && !mount.split(',').includes('noexec');
    return runsPrograms && bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Strips the types of all modules once (test/support/stripped-modules.mjs). */
function stripTypes(): void {
  mkdirSync(copied);
  for (const path of globSync(`${ROOT}/{api,bench,engine,schemas,test,workers}/**/*.ts`)) {
    const target = join(stripped, relative(ROOT, path));
    mkdirSync(dirname(target), { recursive: true });
    const typed = readFileSync(path, 'utf8');
    const text = stripTypeScriptTypes(typed);
    writeFileSync(target, text);
    writeFileSync(join(copied, createHash('sha256').update(typed).digest('hex')), text);
  }
}

/**
 * Node's options for tests, and for the services and commands that they start, which load the same modules hundreds of times.
 * `mostly`: what takes most of the time of such a process.
 */
function nodeOptions(mostly: 'computes' | 'starts'): string {
  const url = new URL(PRELOADED);
  const folders = { stripped, copied, compiled: join(folder, 'compiled') };
  url.search = String(new URLSearchParams(mostly === 'computes' ? { ...folders, computes: '' } : folders));
  const imported = `--import=${url.href}`;
  return mostly === 'computes' ? `${imported} --max-semi-space-size=${YOUNG_GENERATION_MIB}` : imported;
}

async function makeTemplates(): Promise<void> {
  const [database, service] = [join(templates, 'database'), join(templates, 'service')];
  for (const path of [templates, database, service]) mkdirSync(path, { mode: 0o711 });
  await (await openTestDatabase(database)).close();
  await (await startService(service)).end('SIGTERM');
  // Every service makes its own key.
  rmSync(join(service, 'secret.key'));
}

/** Runs the files of each group in one process, one group after the other. */
async function runTogether(
  groups: readonly (readonly string[])[],
  options: readonly string[],
  sums: Map<string, number>,
  ownOptions: string,
): Promise<(number | null)[]> {
  const codes: (number | null)[] = [];
  for (const group of groups) {
    if (interrupted) break;
    const args = ['--experimental-test-isolation=none', ...options, ...group];
    codes.push(await runTests(args, sums, {}, ownOptions));
  }
  return codes;
}

/** The files of the folders above, and those of the other folders that only compute: a group for each folder of `test/`. */
function computingGroups(): string[][] {
  const groups = COMPUTING.map(testsIn);
  const inFolders = new Set(groups.flat());
  const others = computingTests(testsIn('test/**').filter((file) => !inFolders.has(file)));
  return [...groups, ...Map.groupBy(others, (file) => file.split('/')[1]!).values()];
}

/** The files that share a service: a group for each service. */
function sharingGroups(): string[][] {
  const serviceOf = (file: string) => SHARED_SERVICE.exec(readFileSync(file, 'utf8'))?.[1];
  const sharing = testsIn('test/contract').filter((file) => serviceOf(file) !== undefined);
  return [...Map.groupBy(sharing, serviceOf).values()];
}

async function runOthers(options: readonly string[], sums: Map<string, number>): Promise<(number | null)[]> {
  const together = new Set([...computingGroups(), ...sharingGroups()].flat());
  const others = testsIn('test/**').filter((file) => !together.has(file));
  return [await runTests([`--test-concurrency=${FILES_AT_ONCE}`, ...options, ...others], sums, { TMPDIR: fastest })];
}

function testsIn(folders: string): string[] {
  return globSync(`${folders}/*.test.ts`).sort();
}

/** Runs the test runner with these arguments and settings. Adds its totals to `sums` instead of printing them. */
async function runTests(
  args: readonly string[],
  sums: Map<string, number>,
  env: NodeJS.ProcessEnv = {},
  ownOptions = nodeOptions('starts'),
): Promise<number | null> {
  const colours = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const runner = spawn(
    process.execPath,
    ['--test', '--test-reporter=spec', `--test-timeout=${FILE_TIMEOUT_MS}`, ...args],
    {
      env: {
        ...process.env,
        ...env,
        ...colours,
        TEST_TEMPLATES: templates,
        TEST_OUTPUT_DIR: outputs,
        TEST_CHROMIUM: chromium,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${ownOptions}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  runners.add(runner);
  const ended = new Promise<number | null>((resolve) => runner.once('close', resolve));
  let reported = false;
  await Promise.all([
    eachLine(runner.stdout, (line) => {
      const [, what, count] = TOTAL.exec(line) ?? [];
      reported ||= what === 'tests';
      if (what !== undefined) sums.set(what, (sums.get(what) ?? 0) + Number(count));
      else if (!line.includes('ℹ duration_ms ')) print(process.stdout, line);
    }),
    eachLine(runner.stderr, (line) => print(process.stderr, line)),
  ]);
  runners.delete(runner);
  const code = await ended;
  // A test that ends its process takes the remaining ones with it, and would say nothing.
  if (!reported && !interrupted) {
    const files = readSuiteArguments(args).files;
    print(process.stderr, `✖ the process of ${files[0]} to ${files.at(-1)} ended with ${code} before its last test`);
  }
  return code;
}

async function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream })) onLine(line);
}

function print(stream: NodeJS.WriteStream, line: string): void {
  stream.write(`${line}\n`);
  appendFileSync(join(outputs, 'tests.txt'), `${line}\n`);
}
