// `import recording`: makes a recorded session replayable.

import { basename, resolve } from 'node:path';
import { FittedForecasts } from '#api/previews/fitted-forecasts.ts';
import { readImportedHistory } from '#api/previews/imported-history.ts';
import { racedEvent } from '#api/previews/previewed-session.ts';
import { hasRecordingRows } from '#engine/intake/recording/postgres-recording-rows.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { importSession } from '#engine/intake/recording/session-import.ts';
import { isAddress, parseArchiveAddress } from '#engine/intake/source/archive-download/archive-address.ts';
import { DEMO_SESSION_ID } from '#engine/intake/source/demo-session/demo-session.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { findSeries, KNOWN_SERIES } from '#engine/racing/series/known-series.ts';
import { PREVIEW_TOPIC } from '#engine/racing/session/known-before.ts';
import type { HistoryStore } from '#engine/seasons/history/history-store.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import { recordingStore } from '#workers/recording-store.ts';
import { type Command, UsageError } from './command.ts';
import { readArguments, shownAddress } from './command-line.ts';
import { identitiesFromHistory } from './history-identities.ts';
import { downloadForImport } from './import-download.ts';
import { throwIfInterrupted } from './interruption.ts';
import { gapsOf, gapText } from './recording-gaps.ts';
import { withService } from './service-database.ts';

const SERIES_IDS = KNOWN_SERIES.map(({ seriesId }) => seriesId).join(' or ');

const HELP = `Makes a recorded session replayable. Importing it again replaces it.

Usage: npm run admin -- import recording PATH|URL [--session ID] [--series ID]

  PATH           A folder of the live-timing archive with .jsonStream files, or one such file; or a text file, or a folder
                 with one, as recorders save live timing. The format is detected from the first lines:
                   FastF1         lists such as ['TimingData', {...}, '2025-09-20T12:29:40.365Z']
                   undercut-f1    live.txt or live.jsonl, with subscribe.txt or subscribe.json beside it
                   SignalR        raw frames of either protocol, Core or the older one
                   NDJSON         lines such as {"topic":"LapCount","utc":"2026-05-03T14:00:00Z","data":{"CurrentLap":1}}
  URL            A session in the archive. Its files are kept below DATA_DIR/downloads: an interrupted download continues
                 where it left off, and complete files are not fetched again
  --session ID   Store the session under this id and not under the one from its SessionInfo. A recording without
                 SessionInfo needs an id of the form YEAR-PLACE-KIND, which then gives its season, name and type
  --series ID    The series of the session, ${SERIES_IDS} (f1)

Says what the recording lacks of what every payload needs. Without a list of drivers, they come by number from the
imported history, if it has the weekend.

Prints {"sessionId", "frames", "updates", "feeds", "missing", "identities"}: "missing" lists such topics, and "identities"
is "recording", "history" or "none".

Examples:
  npm run admin -- import recording 2018/2018-04-29_Azerbaijan_Grand_Prix/2018-04-29_Race
  npm run admin -- import recording https://livetiming.formula1.com/static/2025/2025-05-04_Miami_Grand_Prix/2025-05-04_Race/
  npm run admin -- import recording saved_data.txt --session 2025-azerbaijan-qualifying`;

/** The share of the progress bar for reading the source; deriving takes about as long. */
const READING_SHARE = 0.5;

export const importRecordingCommand: Command = {
  words: 'import recording',
  summary: 'Make a recorded session replayable',
  help: HELP,

  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { session: { type: 'string' }, series: { type: 'string' } }, [
      'PATH',
    ]);
    const path = positionals[0]!;
    if (path === '') throw new UsageError('PATH is empty');
    const address = isAddress(path) ? parseArchiveAddress(path) : null;
    if (address !== null && 'problem' in address) throw new UsageError(`${shownAddress(path)}: ${address.problem}`);
    const chosen = values.session === undefined ? undefined : parseSessionId(values.session);
    if (chosen === null) {
      throw new UsageError(`--session: "${values.session}" is not an id of small letters, digits and single hyphens`);
    }
    if (chosen === DEMO_SESSION_ID) throw new UsageError(`--session: ${DEMO_SESSION_ID} is the built-in session`);

    const series = values.series === undefined ? F1 : findSeries(values.series);
    if (series === null) throw new UsageError(`--series: "${values.series}" is not ${SERIES_IDS}`);

    const folder = address === null ? path : await downloadForImport(terminal, address, chosen !== undefined);
    const source = openSource(folder);
    const described = describeSession(series, source.frames(), chosen);
    const sessionId = chosen ?? parseSessionId(described.sessionId);
    if (sessionId === null) throw new UsageError(`"${described.sessionId}" is not a valid id; give one with --session`);
    const percent = (fraction: number): void => {
      terminal.progress(`importing ${sessionId}: ${Math.floor(fraction * 100)} %`);
    };
    const gaps = gapsOf(series, described.type, source.frames());
    const frames: Iterable<Frame> = source.frames((done, total) => percent((done / total) * READING_SHARE));
    const lacksIdentities = gaps.some(({ lacks }) => lacks === 'identities');
    const { entry, identities, knowsHistory } = await withService(
      terminal,
      'made',
      async ({ config, sql, log, signal }) => {
        const inCluster = config.cluster !== null || (await hasRecordingRows(sql));
        const history = new PostgresHistoryStore(sql);
        const found =
          lacksIdentities && series === F1
            ? await identitiesFromHistory(history, sessionId, firstUtcMs(source.frames()))
            : null;
        const imported = await importSession(
          config.dataDir,
          recordingStore({ inCluster, dataDir: config.dataDir, sql, log }),
          { ...described, sessionId, demo: false, origin: basename(resolve(folder)) },
          after([found, series === F1 ? await knownBefore(history, sessionId, source.frames()) : null], frames),
          (fraction) => percent(READING_SHARE + fraction * (1 - READING_SHARE)),
          () => throwIfInterrupted(signal),
        );
        return { entry: imported, identities: found, knowsHistory: (await history.digest()) !== null };
      },
    );
    for (const [topic, count] of source.unknownTopics) {
      if (Object.hasOwn(series.messages, topic) || topic === series.naming.topic) continue;
      terminal.say(`topic ${topic} is unknown: its ${count} frames are recorded but give no updates`);
    }
    for (const gap of gaps) {
      if (gap.lacks === 'identities' && identities !== null)
        terminal.say(`topic ${gap.topic} is missing: the drivers come by number from the imported history`);
      else terminal.say(gapText(gap, knowsHistory));
    }
    const { frameCount, updateCount, feeds } = entry;
    terminal.print(
      JSON.stringify({
        sessionId,
        frames: frameCount,
        updates: updateCount,
        feeds,
        missing: gaps.map(({ topic }) => topic),
        identities: !lacksIdentities ? 'recording' : identities === null ? 'none' : 'history',
      }),
    );
  },
};

function* after(first: readonly (Frame | null)[], frames: Iterable<Frame>): Iterable<Frame> {
  for (const frame of first) if (frame !== null) yield frame;
  yield* frames;
}

/** What the history knew before the race; what the recording itself says overrides it. Null: nothing, or it is no race. */
async function knownBefore(store: HistoryStore, sessionId: string, frames: Iterable<Frame>): Promise<Frame | null> {
  const eventId = racedEvent(sessionId);
  if (eventId === null) return null;
  const known = await new FittedForecasts(() => readImportedHistory(store)).strengths(eventId);
  return known && { utcMs: firstUtcMs(frames), topic: PREVIEW_TOPIC, json: JSON.stringify(known) };
}

function firstUtcMs(frames: Iterable<Frame>): number {
  for (const { utcMs } of frames) return utcMs;
  throw new Error('a source without frames is refused when its session is described');
}
