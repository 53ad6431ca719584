// `import recording`: makes a recorded session replayable.

import { basename, resolve } from 'node:path';
import { PostgresSessionCatalogue } from '#engine/recording/postgres-session-catalogue.ts';
import { parseSessionId } from '#engine/recording/session-id.ts';
import { importSession } from '#engine/recording/session-import.ts';
import { describeSession } from '#engine/session/describe-session.ts';
import { DEMO_SESSION_ID } from '#engine/source/demo-session/demo-session.ts';
import type { Frame } from '#engine/source/frame.ts';
import { openSource } from '#engine/source/open-source.ts';
import { type Command, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';

const HELP = `Makes a recorded session replayable. Importing it again replaces it.

Usage: npm run admin -- import recording PATH [--session ID]

  PATH           A folder of the live-timing archive with .jsonStream files, or one such file
  --session ID   Store it under this id rather than the one that follows from its SessionInfo

Prints {"sessionId", "frames", "updates", "feeds"}.

Examples:
  npm run admin -- import recording 2018/2018-04-29_Azerbaijan_Grand_Prix/2018-04-29_Race
  npm run admin -- import recording ./race --session 2018-azerbaijan-race`;

/** Reading the source and deriving take about as long. */
const READING_SHARE = 0.5;

export const importRecordingCommand: Command = {
  words: 'import recording',
  summary: 'Make a recorded session replayable',
  help: HELP,

  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { session: { type: 'string' } }, ['PATH']);
    const path = positionals[0]!;
    if (path === '') throw new UsageError('PATH is empty');
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) {
      throw new UsageError(`${path}: importing from a URL is not supported yet; download it and give the folder`);
    }
    const chosen = values.session === undefined ? undefined : parseSessionId(values.session);
    if (chosen === null) {
      throw new UsageError(`--session: "${values.session}" is not an id of small letters, digits and single hyphens`);
    }
    if (chosen === DEMO_SESSION_ID) throw new UsageError(`--session: ${DEMO_SESSION_ID} is the built-in session`);

    const source = openSource(path);
    const described = describeSession(source.frames());
    const sessionId = chosen ?? parseSessionId(described.sessionId);
    if (sessionId === null) throw new UsageError(`"${described.sessionId}" cannot be an id; give one with --session`);
    const percent = (fraction: number): void => {
      terminal.progress(`importing ${sessionId}: ${Math.floor(fraction * 100)} %`);
    };
    const frames: Iterable<Frame> = source.frames((done, total) => percent((done / total) * READING_SHARE));
    const entry = await withService(terminal, ({ config, sql, signal }) =>
      importSession(
        config.dataDir,
        new PostgresSessionCatalogue(sql),
        { ...described, sessionId, demo: false, origin: basename(resolve(path)) },
        frames,
        (fraction) => percent(READING_SHARE + fraction * (1 - READING_SHARE)),
        signal,
      ),
    );
    for (const [topic, count] of source.unknownTopics) {
      terminal.say(`topic ${topic} is not known; frames of it are kept in the recording and give no updates: ${count}`);
    }
    const { frameCount, updateCount, feeds } = entry;
    terminal.print(JSON.stringify({ sessionId, frames: frameCount, updates: updateCount, feeds }));
  },
};
