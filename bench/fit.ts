// Makes the models' numbers from past seasons: each fit writes one file of coefficients, beside the model that reads it.
// The files are part of the project; the tables are not.
//
// Exit codes: 0 success; 1 a fit failed; 2 the command line is invalid.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { errorText } from '#engine/storage/storage-error.ts';
import { writeCoefficients } from './fit/coefficients-file.ts';
import { FITS } from './fit/fits.ts';
import { HISTORY, LAPS, SHARED_DATA } from './suite/shared-data.ts';
import { isUsageError, refuseRepeated, UsageError, usageText } from './suite/usage-error.ts';

const HELP = `npm run fit -- [NAME...] [options]

Makes the numbers of the models from past seasons, and writes them into files of coefficients beside the models. Without
a NAME it makes all of them. The same tables give the same numbers; a file whose numbers stay keeps its date.

${Object.entries(FITS)
  .map(([name, { summary }]) => `  ${name.padEnd(14)} ${summary}`)
  .join('\n')}

  --history DIR     a CSV release of f1db (default ../shared/data/history/f1db)
  --laps DIR        tables of laps (default ../shared/data/laps)
  --recordings DIR  a folder of recordings (default ../shared/data)

Exit codes: 0 done, 1 a fit failed, 2 the command line is invalid.

Examples:
  npm run fit && git diff --stat engine
  npm run fit -- battle --laps ./laps

Measure what new numbers are worth: npm run bench -- models`;

const PROJECT = fileURLToPath(new URL('..', import.meta.url));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

function main(args: readonly string[]): void {
  refuseRepeated(args);
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      history: { type: 'string', default: HISTORY },
      laps: { type: 'string', default: LAPS },
      recordings: { type: 'string', default: SHARED_DATA },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (values.help) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const { history, laps, recordings } = values;
  if (!existsSync(history)) throw new UsageError(`--history: ${history} does not exist`);
  if (!existsSync(laps)) throw new UsageError(`--laps: ${laps} does not exist`);
  if (!existsSync(recordings)) throw new UsageError(`--recordings: ${recordings} does not exist`);
  const unknown = positionals.find((name) => FITS[name] === undefined);
  if (unknown !== undefined) throw new UsageError(`There is no fit "${unknown}"; npm run fit -- --help lists them`);
  for (const name of positionals.length > 0 ? positionals : Object.keys(FITS)) {
    const fit = FITS[name]!;
    say(`${name}: ${fit.summary}`);
    const fitted = fit.fit({ history, laps, recordings }, (line) => say(`  ${line}`));
    const path = join(PROJECT, fit.file);
    mkdirSync(dirname(path), { recursive: true });
    const day = new Date().toISOString().slice(0, 10);
    say(`  ${fit.file}: ${writeCoefficients(path, fit, fitted, day) ? 'written' : 'as it was'}`);
  }
}

try {
  main(process.argv.slice(2));
} catch (error) {
  const isUsage = isUsageError(error);
  say(isUsage ? `${usageText(error)}\nFor help: npm run fit -- --help` : errorText(error));
  process.exitCode = isUsage ? 2 : 1;
}
