// The entry point of the bench suite: lists the benches, runs one or all of them, and compares or draws stored results.
//
// Exit codes: 0 success; 1 a fault was counted, a bench failed or a measurement became worse; 2 the command line is
// invalid; 130 after Ctrl-C, 143 after SIGTERM.

import { parseArgs } from 'node:util';
import { errorText } from '#engine/storage/storage-error.ts';
import { BENCHES } from './benches.ts';
import { TRUSTING_IT } from './receivers/localhost-certificate.ts';
import { thisMachine, versionsInUse } from './suite/machine.ts';
import { describeRun, hasFaults } from './suite/result-text.ts';
import { runSeparately } from './suite/separate-bench.ts';
import { checkWritable, readSuiteFile, replaceFile, type SuiteFile, suiteFileToExtend } from './suite/suite-file.ts';
import { type PlannedBench, runBenches } from './suite/suite-run.ts';
import { isUsageError, refuseRepeated, UsageError } from './suite/usage-error.ts';

const HELP = `npm run bench -- NAME [options] [--json FILE] [--html FILE]
npm run bench -- NAME --help
npm run bench -- all [--smoke] [--json FILE] [--html FILE]
npm run bench -- compare A.json B.json
npm run bench -- report A.json --html FILE

  --json FILE   saves the results; appends a run if FILE exists
  --html FILE   draws the results, and any earlier runs in the --json file, as one HTML page
  --smoke       with all: runs each bench at its smallest size, to show that it works; the figures mean nothing

${Object.entries(BENCHES)
  .map(([name, { summary, isLong }]) => `  ${isLong ? '*' : ' '} ${name.padEnd(14)} ${summary}`)
  .join('\n')}

  * takes minutes. "all" shortens some of these and takes about half an hour

Exit codes: 0 done, 1 a fault was counted, a bench failed, or a measurement became worse, 2 the command line is invalid,
130 after Ctrl-C, which keeps the finished results.

Examples:
  npm run bench -- micro filter --rounds 1 --ms 20
  npm run bench -- throughput --json now.json --html now.html`;

const COMPARE_HELP = `npm run bench -- compare A.json B.json

Compares the results of two versions, A the old and B the new. Prints both medians, a 95 % confidence interval and a verdict
for each measurement. Exits with 1 if any measurement became worse.

Alternate the runs for the most reliable answer: old, new, old, new ..., with --json A.json in one checkout and
--json B.json in the other. The runs are compared in pairs, so a busy quarter of an hour affects both versions alike.`;

const FILES = { json: { type: 'string' }, html: { type: 'string' }, help: { type: 'boolean' } } as const;

interface OutputFiles {
  readonly json: string | undefined;
  readonly html: string | undefined;
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main([command, ...args]: readonly string[]): Promise<number> {
  refuseRepeated(args);
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
  const { files, isHelp, rest } = splitOptions(args);
  if (!isHelp) return measure([{ name, args: rest }], files);
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
    else if (all === null) say(`Skipping ${name}, which takes too long; run it with npm run bench -- ${name}`);
    else planned.push({ name, args: all });
  }
  return measure(planned, { json: values.json, html: values.html });
}

async function measure(planned: readonly PlannedBench[], { json, html }: OutputFiles): Promise<number> {
  if (json !== undefined) await checkWritable('--json', json);
  if (html !== undefined) await checkWritable('--html', html);
  const earlier: SuiteFile = json === undefined ? { format: 1, runs: [] } : await suiteFileToExtend(json).catch(refuse);
  const interrupt = new AbortController();
  let interruptCode = 0;
  const end = (signal: NodeJS.Signals): void => {
    if (interruptCode === 0) say('stopping the running bench, within half a minute');
    interruptCode = signal === 'SIGINT' ? 130 : 143;
    interrupt.abort();
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  const context = { machine: thisMachine(), versions: await versionsInUse() };
  print(describeRun(context));
  if (json !== undefined) say(`run ${earlier.runs.length + 1} of ${json}`);
  let file = earlier;
  const run = await runBenches(planned, context, {
    // Node reads the authorities that it trusts when it starts, so an engine in the bench's own process needs them here.
    runBench: (name, args, progress, signal) => runSeparately(name, args, progress, signal, TRUSTING_IT),
    say,
    print,
    async save(run) {
      file = { format: 1, runs: [...earlier.runs, run] };
      if (json !== undefined) await replaceFile(json, `${JSON.stringify(file)}\n`);
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
    throw new UsageError('compare takes two result files from --json: npm run bench -- compare A.json B.json');
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
    throw new UsageError('report takes a result file from --json: npm run bench -- report A.json --html FILE');
  }
  await checkWritable('--html', values.html);
  await draw(await readSuiteFile(path).catch(refuse), values.html);
  return 0;
}

/** Turns a problem with a file named on the command line into exit code 2. */
function refuse(error: unknown): never {
  throw new UsageError(errorText(error));
}

async function draw(file: SuiteFile, path: string): Promise<void> {
  const { htmlReport } = await import('./suite/html-report.ts');
  await replaceFile(path, htmlReport(file));
  say(`wrote ${path}`);
}

/** Separates the options that every bench shares from the bench's own (`rest`). */
function splitOptions(args: readonly string[]): { files: OutputFiles; isHelp: boolean; rest: readonly string[] } {
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
      throw new UsageError(`${token.rawName} needs a file name`);
    }
    rest.splice(token.index, token.inlineValue === false ? 2 : 1);
  }
  return { files: { json: fileName(values.json), html: fileName(values.html) }, isHelp: values.help === true, rest };
}

function fileName(value: string | boolean | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!isUsageError(error)) throw error;
  say(
    `${errorText(error)}\nFor usage: npm run bench -- --help. For the options of a bench: npm run bench -- NAME --help`,
  );
  return 2;
});
