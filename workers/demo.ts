// `npm run demo`: shows the service's main job on this machine, with nothing to set up first.

import { constants } from 'node:os';
import { UsageError } from './admin/command.ts';
import { DEMO_HELP, readDemoOptions } from './demo/demo-options.ts';
import { runDemo } from './demo/demo-run.ts';
import { Screen } from './demo/screen.ts';
import { surviveLostOutput } from './lost-output.ts';

const screen = new Screen(process.stdout, process.env, () => performance.now());

/** The user interrupted the demo. It cleans up and prints no summary. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

async function main(args: readonly string[]): Promise<number> {
  const options = readDemoOptions(args);
  if (options === null) {
    screen.say(DEMO_HELP);
    return 0;
  }
  const interrupt = new AbortController();
  let code = 1;
  const end = (signal: NodeJS.Signals): void => {
    code = 128 + constants.signals[signal];
    interrupt.abort(new Interrupted(signal));
  };
  process.once('SIGINT', end).once('SIGTERM', end).once('SIGHUP', end);
  surviveLostOutput(() => interrupt.abort(new Interrupted('nobody reads the output')));
  try {
    return (await runDemo(options, screen, interrupt)) ? 0 : 1;
  } catch (error) {
    const reason: unknown = interrupt.signal.aborted ? interrupt.signal.reason : error;
    screen.say(reason instanceof Interrupted ? 'interrupted; everything is stopped' : screen.bad(messageOf(reason)));
    return code;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\nFor help: npm run demo -- --help\n`);
  return 2;
});
