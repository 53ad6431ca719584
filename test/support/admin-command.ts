// Runs the operator's tool in this process, as a script would: without a terminal.

import { runAdmin } from '#workers/admin/admin-tool.ts';
import { outputFile, printsSecret } from './output-folder.ts';
import type { AdminOutcome } from './service-process.ts';

export interface AdminSituation {
  readonly env?: Readonly<Record<string, string>>;
  /** As if a person ran it at a terminal. */
  readonly interactive?: boolean;
}

export async function runAdminCommand(
  dataDir: string,
  args: readonly string[],
  { env = {}, interactive = false }: AdminSituation = {},
): Promise<AdminOutcome> {
  let out = '';
  let err = '';
  const keep = outputFile('command');
  const code = await runAdmin(args, {
    env: { DATA_DIR: dataDir, ...env },
    interactive,
    print: (line) => {
      out += `${line}\n`;
      if (!printsSecret(args)) keep(`${line}\n`);
    },
    say: (line) => {
      err += `${line}\n`;
      keep(`${line}\n`);
    },
    progress() {},
  });
  return { code, out, err };
}

/**
 * Imports a recording, and throws if that fails. In this process: loading the code takes longer than a short recording.
 */
export async function importRecording(dataDir: string, path: string, sessionId: string): Promise<void> {
  const { code, err } = await runAdminCommand(dataDir, ['import', 'recording', path, '--session', sessionId]);
  if (code !== 0) throw new Error(err);
}
