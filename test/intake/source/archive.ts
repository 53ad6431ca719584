// Writes small archives for tests: folders of `.jsonStream` files, removed after the test.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export type TopicLines = Readonly<Record<string, readonly string[] | string | Buffer>>;

/**
 * A folder with a file per topic. Lists of lines get the byte order mark and line ends; text and bytes are written as
 * given.
 */
export function archiveFolder(t: TestContext, topics: TopicLines): string {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [topic, content] of Object.entries(topics)) {
    const bytes = Array.isArray(content)
      ? `\ufeff${content.map((line) => `${line}\r\n`).join('')}`
      : (content as string);
    writeFileSync(join(folder, `${topic}.jsonStream`), bytes);
  }
  return folder;
}

/** A SessionInfo whose scheduled start sets the start of the stream, if no other topic does: 12:10 UTC. */
export const SESSION_INFO =
  '00:00:00.000{"Meeting":{"Name":"Azerbaijan Grand Prix","Circuit":{"ShortName":"Baku"}},"Type":"Race","Name":"Race",' +
  '"StartDate":"2018-04-29T16:10:00","GmtOffset":"04:00:00"}';

export const STREAM_START_MS = Date.parse('2018-04-29T12:10:00Z');
