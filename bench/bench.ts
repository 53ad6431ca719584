// The bench suite's front door: lists the benches, runs one or all of them, compares and draws what was kept of earlier runs.
//
// The exit code is 0 when all is well; 1 when a correctness counter is not zero, a bench failed or something became worse;
// 2 when the command line makes no sense; 130 or 143 after Ctrl-C or SIGTERM.

import { parseArgs } from 'node:util';
import { errorText } from '#engine/storage/storage-error.ts';
import { BENCHES } from './benches.ts';
import { thisMachine, versionsInUse } from './suite/machine.ts';
import { describeRun, hasFaults } from './suite/result-text.ts';
import { runSeparately } from './suite/separate-bench.ts';
import { checkWritable, readSuiteFile, type SuiteFile, suiteFileToExtend, writeWhole } from './suite/suite-file.ts';
import { type PlannedBench, runBenches } from './suite/suite-run.ts';
import { isUsageError, UsageError } from './suite/usage-error.ts';

const HELP = `npm run bench -- NAME [options] [--json FILE] [--html FILE]
npm run bench -- NAME --help
npm run bench -- all [--smoke] [--json FILE] [--html FILE]
npm run bench -- compare A.json B.json
npm run bench -- report A.json --html FILE

  --json FILE   keeps the results; a FILE that is there gets a further run
  --html FILE   draws the results, with those that FILE of --json held before
  --smoke       all: the small size of each, which shows that it works and measures nothing

${Object.entries(BENCHES)
  .map(([name, { summary, isLong }]) => `  ${isLong ? '*' : ' '} ${name.padEnd(12)} ${summary}`)
  .join('\n')}

  * takes minutes; all runs some of them shorter, and takes about half an hour`;

const COMPARE_HELP = `npm run bench -- compare A.json B.json

Compares what two versions measured, A the old and B the new: medians, how sure the difference is, and a verdict for each
measurement. Ends with 1 if something became worse. The surest way are runs in turn: A, B, A, B, ... with --json A.json in the one
checkout and --json B.json in the other; they are compared pair by pair, so that a noisy quarter of an hour hits both alike.`;

const FILES = { json: { type: 'string' }, html: { type: 'string' }, help: { type: 'boolean' } } as const;

interface Wanted {
  readonly json: string | undefined;
  readonly html: string | undefined;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main([command, ...args]: readonly string[]): Promise<number> {
  switch (command) {
    case undefined:
    case '--help':
      print(HELP);
      return 0;
    case 'all':
      return runAll(args);
    case 'compare':
      return compare(args);
    case 'report':
      return report(args);
    default:
      return runOne(command, args);
  }
}

async function runOne(name: string, args: readonly string[]): Promise<number> {
  const listed = BENCHES[name];
  if (listed === undefined) throw new UsageError(`There is no bench "${name}"; npm run bench lists them`);
  const { wanted, isHelp, rest } = splitOptions(args);
  if (!isHelp) return measure([{ name, args: rest }], wanted);
  print((await listed.load()).help);
  return 0;
}

async function runAll(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { ...FILES, smoke: { type: 'boolean' } } });
  if (values.help) {
    print(HELP);
    return 0;
  }
  const planned: PlannedBench[] = [];
  for (const [name, { load }] of Object.entries(BENCHES)) {
    const { smoke, all = [] } = await load();
    if (values.smoke) planned.push({ name, args: smoke });
    else if (all === null) say(`${name} is left out, because it takes too long: npm run bench -- ${name}`);
    else planned.push({ name, args: all });
  }
  return measure(planned, { json: values.json, html: values.html });
}

async function measure(planned: readonly PlannedBench[], { json, html }: Wanted): Promise<number> {
  if (json !== undefined) await checkWritable('--json', json);
  if (html !== undefined) await checkWritable('--html', html);
  const earlier: SuiteFile = json === undefined ? { format: 1, runs: [] } : await suiteFileToExtend(json).catch(refuse);
  const interrupt = new AbortController();
  let interruptCode = 0;
  const end = (signal: NodeJS.Signals): void => {
    if (interruptCode === 0) say('ending what runs');
    interruptCode = signal === 'SIGINT' ? 130 : 143;
    interrupt.abort();
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  const context = { machine: thisMachine(), versions: await versionsInUse() };
  print(describeRun(context));
  if (json !== undefined) say(`run ${earlier.runs.length + 1} of ${json}`);
  let file = earlier;
  const run = await runBenches(planned, context, {
    runBench: runSeparately,
    say,
    print,
    async save(run) {
      file = { format: 1, runs: [...earlier.runs, run] };
      if (json !== undefined) await writeWhole(json, `${JSON.stringify(file)}\n`);
    },
    signal: interrupt.signal,
  });
  if (html !== undefined && file !== earlier) await draw(file, html);
  if (interruptCode !== 0) return interruptCode;
  return run.failed.length > 0 || run.results.some(hasFaults) ? 1 : 0;
}

async function compare(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help) {
    print(COMPARE_HELP);
    return 0;
  }
  const [before, after, more] = positionals;
  if (before === undefined || after === undefined || more !== undefined) {
    throw new UsageError('compare takes two files that --json wrote: npm run bench -- compare A.json B.json');
  }
  const { compareFiles } = await import('./suite/compare.ts');
  const { text, worse } = await compareFiles(before, after).catch(refuse);
  print(text);
  return worse ? 1 : 0;
}

async function report(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { html: FILES.html, help: FILES.help },
    allowPositionals: true,
  });
  if (values.help) {
    print(HELP);
    return 0;
  }
  const [path, more] = positionals;
  if (path === undefined || more !== undefined || values.html === undefined) {
    throw new UsageError('report takes a file that --json wrote: npm run bench -- report A.json --html FILE');
  }
  await checkWritable('--html', values.html);
  await draw(await readSuiteFile(path).catch(refuse), values.html);
  return 0;
}

/** A file that was named is not what it should be. */
function refuse(error: unknown): never {
  throw new UsageError(errorText(error));
}

async function draw(file: SuiteFile, path: string): Promise<void> {
  const { htmlReport } = await import('./suite/html-report.ts');
  await writeWhole(path, htmlReport(file));
  say(`drawn in ${path}`);
}

/** Takes the options that every bench has from among those of the bench. */
function splitOptions(args: readonly string[]): { wanted: Wanted; isHelp: boolean; rest: readonly string[] } {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: FILES,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const rest = [...args];
  for (const token of tokens.toReversed()) {
    if (token.kind !== 'option' || !Object.hasOwn(FILES, token.name)) continue;
    if (token.name !== 'help' && (token.value === undefined || token.value.startsWith('-'))) {
      throw new UsageError(`${token.rawName} needs the name of a file`);
    }
    rest.splice(token.index, token.inlineValue === false ? 2 : 1);
  }
  return { wanted: { json: fileName(values.json), html: fileName(values.html) }, isHelp: values.help === true, rest };
}

function fileName(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!isUsageError(error)) throw error;
  say(`${errorText(error)}\nnpm run bench -- --help shows how it is used, npm run bench -- NAME --help a bench.`);
  return 2;
});
