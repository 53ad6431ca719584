// Finds the command that the operator typed and runs it.

import { assert } from '#engine/base/assert.ts';
import { accountCreate } from './account-create.ts';
import { accountPlan } from './account-plan.ts';
import { backupCommand } from './backup.ts';
import { clusterStatus } from './cluster-status.ts';
import type { Command, Terminal } from './command.ts';
import { doctorCommand } from './doctor.ts';
import { importCalendarCommand } from './import-calendar.ts';
import { importHistoryCommand } from './import-history.ts';
import { importRecordingCommand } from './import-recording.ts';
import { recordingDelete } from './recording-delete.ts';
import { restoreCommand } from './restore.ts';
import { runCommand } from './run-command.ts';
import { runList } from './run-list.ts';
import { runStop } from './run-stop.ts';
import { secretKeyRotate } from './secret-key-rotate.ts';
import { sessionList } from './session-list.ts';

const COMMANDS: readonly Command[] = [
  accountCreate,
  accountPlan,
  importRecordingCommand,
  importCalendarCommand,
  importHistoryCommand,
  sessionList,
  recordingDelete,
  runList,
  runStop,
  clusterStatus,
  secretKeyRotate,
  backupCommand,
  restoreCommand,
  doctorCommand,
];

const USAGE = 'Usage: npm run admin -- COMMAND [OPTIONS]';

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => command.words.length));
  const lines = commands.map((command) => `  ${command.words.padEnd(width)}   ${command.summary}`);
  return `${USAGE}

${lines.join('\n')}

Every command has --help. Commands use the data of the service with the same DATA_DIR or DATABASE_URL. It may be running or not.

Exit codes: 0 done, 1 failed (of doctor: a problem was found), 2 the command line is invalid, 130 or 143 interrupted.

Example: ${exampleOf(commands[0]!)}`;
}

/** The first of the examples in its help. */
function exampleOf({ words, help }: Command): string {
  const example = /\bExamples?:\s+(.+)/.exec(help)?.[1];
  assert(example !== undefined, `${words} has an example`);
  return example;
}

/** Runs what the arguments ask for and returns the exit code. */
export async function runAdmin(args: readonly string[], terminal: Terminal): Promise<number> {
  const wantsHelp = args.includes('--help') || args.includes('-h');
  const words = args.filter((arg) => !arg.startsWith('-'));
  const command = COMMANDS.find((known) => known.words.split(' ').every((word, index) => words[index] === word));
  if (command === undefined) {
    const group = COMMANDS.filter((known) => known.words.split(' ')[0] === words[0]);
    const chosen = group.length > 0 ? group : COMMANDS;
    if (wantsHelp) {
      terminal.print(overview(chosen));
      return 0;
    }
    const typed = words.slice(0, 2).join(' ');
    const incomplete = words.length < 2 && chosen === group;
    const problem = typed === '' || incomplete ? `${typed} which command?`.trim() : `there is no command "${typed}"`;
    terminal.say(`${problem}\n\n${overview(chosen)}`);
    return 2;
  }
  const rest = [...args];
  for (const word of command.words.split(' ')) rest.splice(rest.indexOf(word), 1);
  return runCommand(command, rest, terminal, `npm run admin -- ${command.words}`);
}
