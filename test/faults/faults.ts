// `npm run faults`: does to a real cluster under load what may befall it, and says what came of it. A person runs it: it
// takes minutes, and the case `patroni` needs Debian's packages.

import { parseArgs } from 'node:util';
import { DEFAULT_RECORDING } from '#bench/load/race-slice.ts';
import { isUsageError, refuseRepeated, UsageError, usageText } from '#bench/suite/usage-error.ts';
import { CASES } from './cases.ts';

const HELP = `npm run faults -- [CASE...] [--rounds N] [--accounts N] [--endpoints N] [--recording DIR]

Three nodes with CLUSTER=on, on real PostgreSQL, replay a recording at ten times its speed to receivers on this machine, which
count by delivery id. Something befalls them. Afterwards nothing may be lost, nothing repeated but what had not been
recorded, and the log, usage and the receivers must agree. In the cases \`fed-...\` a source feeds them fifty frames of a live
session a second instead, for 300 endpoints.

${Object.entries(CASES)
  .map(([name, { summary }]) => `  ${name.padEnd(17)}${summary}`)
  .join('\n')}

Without a CASE: all of them. A case takes one to four minutes. \`patroni\` needs the packages patroni, etcd-server and postgresql-15
of Debian 12, and root or the user postgres. Everything listens on 127.0.0.1, and ends with this program.

  --rounds N       how often each case is played (1)
  --accounts N     accounts at home on each node (2)
  --endpoints N    endpoints of each account (8)
  --recording DIR  an archive folder, or "demo" for the built-in race
                   (default ../shared/data/archive/2018-azerbaijan-race if present, else demo)
  --help           print this text

Exit code 0: all is well. 1: something was not as it should be, or a case could not be played. 2: the command line is invalid, or
a program is missing.

Examples:
  npm run faults -- node-killed
  npm run faults -- killed promoted --rounds 3 --recording demo
`;

async function main(): Promise<number> {
  refuseRepeated(process.argv.slice(2));
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '1' },
      accounts: { type: 'string', default: '2' },
      endpoints: { type: 'string', default: '8' },
      recording: { type: 'string', default: DEFAULT_RECORDING },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const names = positionals.length === 0 ? Object.keys(CASES) : positionals;
  const unknown = names.find((name) => !Object.hasOwn(CASES, name));
  if (unknown !== undefined) throw new UsageError(`There is no case "${unknown}"; npm run faults -- --help lists them`);
  const rounds = positive('--rounds', values.rounds);
  const size = {
    nodes: 3,
    accountsPerNode: positive('--accounts', values.accounts),
    endpointsPerAccount: positive('--endpoints', values.endpoints),
    recording: values.recording,
  };
  let isWell = true;
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      const progress = (line: string): void => void process.stderr.write(`${name}: ${line}\n`);
      const { figures, problems } = await CASES[name]!.run({ ...size, progress });
      process.stdout.write(`${name}${rounds > 1 ? `, round ${round}` : ''}\n`);
      for (const [figure, value] of Object.entries(figures))
        process.stdout.write(
          `  ${figure.padEnd(46)}${Number.isInteger(value) ? value : value.toFixed(value < 10 ? 2 : 0)}\n`,
        );
      for (const problem of problems) process.stdout.write(`  WRONG: ${problem}\n`);
      isWell &&= problems.length === 0;
    }
  }
  return isWell ? 0 : 1;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`${option}: "${text}" is not a whole number from 1 to 9999`);
  return value;
}

try {
  // What is left open, such as a connection that was cut, keeps nobody waiting.
  process.exit(await main());
} catch (error) {
  const isUsage = isUsageError(error);
  const text = isUsage ? `${usageText(error)}\nFor help: npm run faults -- --help` : (error as Error).stack;
  process.stderr.write(`${text}\n`);
  process.exit(isUsage ? 2 : 1);
}
