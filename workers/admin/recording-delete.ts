// `recording delete`: deletes a recording, for all nodes of a cluster.

import { quoted } from '#engine/base/quoted-text.ts';
import { deleteSession, removeSessionFiles } from '#engine/intake/recording/recording-deletion.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { DEMO_SESSION_ID } from '#engine/intake/source/demo-session/demo-session.ts';
import { type Command, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';

const HELP = `Deletes a recorded session: from the list of sessions, from the database or DATA_DIR, with all that was compiled of it. In a
cluster every node removes its copy within a minute.

Usage: npm run admin -- recording delete SESSION

  SESSION   Id of the session; "session list" shows them

Nothing is deleted while a run uses the session: stop it first ("run list", "run stop"). What endpoints got of it stays in the
delivery log and in usage, but its bodies can be neither shown nor sent again, and slots that it took are not given back. It
can be imported again.

Prints {"sessionId", "deleted"}.

Example: npm run admin -- recording delete 2025-miami-sprint`;

/** The recording cannot be deleted. The message says why. */
class DeletionRefused extends Error {
  override readonly name = 'DeletionRefused';
}

export const recordingDelete: Command = {
  words: 'recording delete',
  summary: 'Delete a recorded session, everywhere',
  help: HELP,

  async run(args, terminal) {
    const [text] = readArguments(args, {}, ['SESSION']).positionals as [string];
    const sessionId = parseSessionId(text);
    if (sessionId === null)
      throw new UsageError(`SESSION: ${quoted(text)} is not the id of a session; "session list" shows them`);
    if (sessionId === DEMO_SESSION_ID)
      throw new UsageError(`SESSION: ${sessionId} is the built-in session: the next start would install it again`);
    await withService(terminal, 'used', async ({ sql, config }) => {
      const deletion = await deleteSession(sql, sessionId);
      if (deletion.kind === 'used')
        throw new DeletionRefused(
          `${sessionId} is in use by ${deletion.runIds.join(', ')}: stop that first ("run stop"), or wait for its end`,
        );
      // Those of a deletion that was interrupted, too.
      const had = await removeSessionFiles(config.dataDir, sessionId);
      if (deletion.kind === 'unknown' && !had)
        throw new DeletionRefused(`there is no session ${sessionId}: "session list" shows them`);
    });
    terminal.print(JSON.stringify({ sessionId, deleted: true }));
  },
};
