// `listen` in this process, as its command runs it, with a signal in place of Ctrl-C.

import { runCommand } from '#workers/admin/run-command.ts';
import { listenCommand } from '#workers/listen/listen-command.ts';
import { readListenSettings } from '#workers/listen/listen-settings.ts';
import { listen } from '#workers/listen/listener.ts';

export interface Listening {
  /** Standard output so far, line by line. */
  readonly out: readonly string[];
  /** Standard error so far. */
  readonly err: readonly string[];
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
  /** As Ctrl-C does. */
  stop(): void;
}

/** `words`: the arguments, joined by spaces. */
export function startListening(
  scope: { after(end: () => unknown): void },
  env: Readonly<Record<string, string>>,
  words: string,
): Listening {
  const [out, err]: [string[], string[]] = [[], []];
  const asked = new AbortController();
  scope.after(() => asked.abort());
  const command = {
    ...listenCommand('listen'),
    run: (args: readonly string[]) => listen(readListenSettings(args, env), terminal, asked.signal),
  };
  const terminal = {
    env,
    interactive: false,
    print: (line: string) => out.push(line),
    say: (line: string) => err.push(line),
    progress() {},
  };
  return { out, err, ended: runCommand(command, words.split(' '), terminal, 'listen'), stop: () => asked.abort() };
}

/** The secret that it prints at the start. */
export function printedSecret({ err }: Pick<Listening, 'err'>): string | null {
  return /^Signed with (whsec_\S+)/m.exec(err.join('\n'))?.[1] ?? null;
}
