import { LocalFrameLog } from '#engine/intake/live/frame-log.ts';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { type FrameLogHarness, frameLogConformance } from '#test/conformance/frame-log.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { followSessions, MemoryCatalogue } from '#test/support/live-sessions.ts';

function open(dataDir: string, catalogue: MemoryCatalogue): FrameLogHarness {
  const { sessions, events } = followSessions(dataDir, { catalogue });
  sessions.recover();
  return {
    log: new LocalFrameLog(sessions),
    sessions,
    recordings: new FileRecordings(dataDir, catalogue),
    events,
    async restart() {
      await sessions.close();
      return open(dataDir, catalogue);
    },
  };
}

frameLogConformance('the frame log of a service alone', async () => open(temporaryDataDir(), new MemoryCatalogue()));
