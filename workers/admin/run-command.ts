// Runs one command. Turns a failure into one line and an exit code: 1 for a failure, 2 for an invalid command line, 128
// plus the signal's number after an interruption.

import { type Command, Interrupted, type Terminal, UsageError } from './command.ts';
import { failureText } from './failure-text.ts';

/** `typed`: how the operator types the command, before its arguments. */
export async function runCommand(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
  typed: string,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    terminal.print(command.help);
    return 0;
  }
  try {
    await command.run(args, terminal);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.say(`${error.message}\nFor help: ${typed} --help`);
      return 2;
    }
    terminal.say(failureText(error));
    return error instanceof Interrupted ? error.exitCode : 1;
  }
}
