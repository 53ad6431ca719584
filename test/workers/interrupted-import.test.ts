// An import that is interrupted by a signal. The signal reaches the whole process, so this file must not share one.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileRecordings } from '#engine/intake/recording/file-recordings.ts';
import { parseSessionId } from '#engine/intake/recording/session-id.ts';
import { importSession } from '#engine/intake/recording/session-import.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { MemoryCatalogue } from '#test/support/live-sessions.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { interruptibly, throwIfInterrupted } from '#workers/admin/interruption.ts';

test('a signal during an import ends it as soon as the thread is free, and leaves nothing behind', async (t) => {
  const dataDir = temporaryFolder(t);
  const frames = demoSessionFrames();
  const session = {
    ...describeSession(F1, frames),
    sessionId: parseSessionId('2026-interrupted-race')!,
    demo: false,
    origin: 'test',
  };
  for (const during of ['reading', 'deriving']) {
    const catalogue = new MemoryCatalogue();
    let derived = false;
    const interrupt = (now: string): void => {
      derived ||= now === 'deriving';
      if (now === during) process.kill(process.pid, 'SIGINT');
    };
    function* read() {
      yield* frames;
      interrupt('reading');
    }
    const importing = interruptibly((signal) =>
      importSession(
        dataDir,
        new FileRecordings(dataDir, catalogue),
        session,
        read(),
        () => interrupt('deriving'),
        () => throwIfInterrupted(signal),
      ),
    );
    await assert.rejects(importing, { name: 'Interrupted' }, during);
    assert.equal(derived, during === 'deriving');
    assert.equal(catalogue.entries.size, 0);
    assert.deepEqual(readdirSync(join(dataDir, 'recordings')), []);
  }
});
