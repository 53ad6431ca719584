import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DOWNLOAD_RETRY_AFTER_MS_MAX, DOWNLOAD_TRIES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { parseArchiveAddress } from '#engine/intake/source/archive-download/archive-address.ts';
import {
  DOWNLOAD_PAUSE_MS,
  type Download,
  downloadArchive,
} from '#engine/intake/source/archive-download/archive-download.ts';
import { UndiciArchiveClient } from '#engine/intake/source/archive-download/undici-archive-client.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { recorded, sessionPath } from '#test/racing/real-sessions.ts';
import { archiveLines } from '#test/support/golden-recordings.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { archiveFolder, SESSION_INFO } from './archive.ts';
import { type ArchiveServer, archiveFiles, startArchiveServer } from './archive-server.ts';

const LAPS = `\ufeff${Array.from({ length: 2_000 }, (_, lap) => `00:00:01.000{"CurrentLap":${lap}}\r\n`).join('')}`;
const FILES = { LapCount: LAPS, SessionInfo: `\ufeff${SESSION_INFO}\r\n` };

interface Attempt {
  readonly folder: string;
  readonly pauses: number[];
  readonly progress: [number, number, string, number][];
  run(mayLackSession?: boolean): Promise<Download>;
  refusal(): Promise<string>;
  readonly controller: AbortController;
}

function attempt(t: TestContext, server: ArchiveServer, folder = temporaryFolder(t)): Attempt {
  const pauses: number[] = [];
  const progress: Attempt['progress'] = [];
  const controller = new AbortController();
  const run = async (mayLackSession = false): Promise<Download> => {
    const client = new UndiciArchiveClient();
    try {
      return await downloadArchive(server.baseUrl, folder, mayLackSession, {
        client,
        signal: controller.signal,
        wallMs: () => Date.parse('2026-05-03T12:00:00Z'),
        pause: async (ms, signal) => {
          signal.throwIfAborted();
          if (ms !== DOWNLOAD_PAUSE_MS) pauses.push(ms);
        },
        onProgress: (...report) => progress.push(report),
      });
    } finally {
      await client.close();
    }
  };
  const refusal = async (): Promise<string> => {
    const error = await run().then(
      () => assert.fail('nothing was refused'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof SourceError, String(error));
    return error.message;
  };
  return { folder, pauses, progress, controller, run, refusal };
}

function lapsIn(folder: string): string {
  return readFileSync(join(folder, 'LapCount.jsonStream'), 'utf8');
}

const files = (server: ArchiveServer): string[] => server.requests.map(({ file }) => file);

interface Archived {
  readonly name: string;
  readonly topics: Readonly<Record<string, Buffer>>;
  /** The frames as read from a folder. */
  readonly frames: readonly Frame[];
}

function goldenArchive(t: TestContext): Archived {
  const path = archiveFolder(t, archiveLines(RACE));
  return { name: RACE.sessionId, topics: topicsIn(path), frames: [...openSource(path).frames()] };
}

function topicsIn(path: string): Readonly<Record<string, Buffer>> {
  const names = readdirSync(path);
  return Object.fromEntries(names.map((name) => [name.replace('.jsonStream', ''), readFileSync(join(path, name))]));
}

test('a session is downloaded completely, its description first, one request at a time, and reads like a folder', async (t) => {
  const real = recorded('2018-azerbaijan-race').map(({ sessionId: name, frames }): Archived => {
    return { name, topics: topicsIn(sessionPath(name)), frames };
  });
  for (const { name, topics, frames } of [goldenArchive(t), ...real]) {
    const server = await startArchiveServer(t, archiveFiles(topics));
    const { folder, run, progress } = attempt(t, server);
    assert.equal((await run()).missing.size, 0);
    assert.deepEqual([...openSource(folder).frames()], frames, name);
    assert.deepEqual(files(server).slice(0, 3), ['Index.json', 'SessionInfo.jsonStream', 'SessionStatus.jsonStream']);
    assert.equal(server.atOnceMax(), 1);
    const names = Object.keys(topics);
    assert.equal(new Set(progress.map(([file]) => file)).size, names.length);
    assert.deepEqual(readdirSync(folder).sort(), names.map((topic) => `${topic}.jsonStream`).sort());
    for (const { headers } of server.requests) {
      assert.match(headers['user-agent'] ?? '', /^Slipstream/);
      assert.equal(headers['accept-encoding'], 'identity');
    }
  }
});

test('a complete file is not downloaded again', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES));
  const first = attempt(t, server);
  await first.run();
  server.requests.length = 0;
  await attempt(t, server, first.folder).run();
  assert.deepEqual(files(server), ['Index.json']);
});

/** Cuts the connection after half of the response, the first `times` times. */
function cuts(server: ArchiveServer, times: number): void {
  let left = times;
  server.misbehave((file, response, body) => {
    if (file !== 'LapCount.jsonStream' || left-- <= 0) return false;
    const tag = server.ways.tag === 'date' ? { 'last-modified': 'Sun, 04 May 2025 22:00:00 GMT' } : {};
    const etag =
      server.ways.tag === 'etag' ? { etag: '"cut"' } : server.ways.tag === 'weak' ? { etag: 'W/"cut"' } : tag;
    response.writeHead(200, { 'content-length': body!.length, ...etag });
    response.write(body!.subarray(0, body!.length >> 1), () => response.destroy());
    return true;
  });
}

test('a broken download resumes where it left off, in the same run', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES));
  server.ways.tag = 'date';
  cuts(server, 1);
  const { folder, run, pauses } = attempt(t, server);
  await run();
  assert.equal(lapsIn(folder), LAPS);
  const [, second] = server.requests.filter(({ file }) => file === 'LapCount.jsonStream');
  assert.equal(second!.headers.range, `bytes=${Buffer.byteLength(LAPS) >> 1}-`);
  assert.equal(second!.headers['if-range'], 'Sun, 04 May 2025 22:00:00 GMT');
  assert.equal(pauses.length, 1);
});

test('a rest that arrives in smaller parts than requested is put together', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES));
  const size = Buffer.byteLength(LAPS);
  let sent = 0;
  server.misbehave((file, response, body) => {
    if (file !== 'LapCount.jsonStream') return false;
    const end = Math.min(size, sent + Math.ceil(size / 4));
    const part = body!.subarray(sent, end);
    const range = `bytes ${sent}-${end - 1}/${size}`;
    response.writeHead(206, { etag: '"parts"', 'content-range': range, 'content-length': part.length }).end(part);
    sent = end;
    return true;
  });
  const { folder, run } = attempt(t, server);
  await run();
  assert.equal(lapsIn(folder), LAPS);
  assert.equal(server.requests.filter(({ file }) => file === 'LapCount.jsonStream').length, 4);
});

test('an aborted download resumes where it left off, in the next run', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES));
  const first = attempt(t, server);
  server.misbehave((file, response, body) => {
    if (file !== 'LapCount.jsonStream') return false;
    const etag = `"${createHash('sha1').update(body!).digest('hex')}"`;
    response.writeHead(200, { 'content-length': body!.length, etag });
    response.write(body!.subarray(0, 1_000), () => setTimeout(() => first.controller.abort(), 20));
    return true;
  });
  await assert.rejects(first.run());
  server.misbehave(() => false);
  await attempt(t, server, first.folder).run();
  assert.equal(lapsIn(first.folder), LAPS);
  assert.equal(server.requests.at(-1)!.headers.range, 'bytes=1000-');
  assert.deepEqual(readdirSync(first.folder).sort(), ['LapCount.jsonStream', 'SessionInfo.jsonStream']);
});

test('a file that has changed, may have changed, or cannot be resumed is downloaded from the start', async (t) => {
  for (const [ranges, tag] of [
    [true, 'etag'],
    [true, 'weak'],
    [true, 'none'],
    [false, 'date'],
  ] as const) {
    const server = await startArchiveServer(t, archiveFiles(FILES));
    Object.assign(server.ways, { ranges, tag });
    cuts(server, 1);
    const { folder, run } = attempt(t, server);
    await run();
    assert.equal(lapsIn(folder), LAPS, `${ranges} ${tag}`);
    const asked = server.requests.at(-1)!.headers;
    assert.equal(asked.range !== undefined, tag === 'etag' || tag === 'date', tag);
  }
});

test('after a wrong part, or a part beyond the end, the file is downloaded from the start', async (t) => {
  for (const part of ['other', 'beyond'] as const) {
    const server = await startArchiveServer(t, archiveFiles(FILES));
    const { folder, run } = attempt(t, server);
    writeFileSync(join(folder, 'LapCount.jsonStream.part'), 'x'.repeat(500));
    writeFileSync(join(folder, 'LapCount.jsonStream.part.tag'), '"old"');
    let once = true;
    server.misbehave((file, response, body) => {
      if (file !== 'LapCount.jsonStream' || !once) return false;
      once = false;
      if (part === 'beyond') response.writeHead(416).end();
      else
        response
          .writeHead(206, { 'content-range': `bytes 7-${body!.length - 1}/${body!.length}` })
          .end(body!.subarray(7));
      return true;
    });
    await run();
    assert.equal(lapsIn(folder), LAPS, part);
  }
});

test('a pause that the server requests is kept, in seconds or as a date; other pauses double', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES));
  const responses: [number, Record<string, string>][] = [
    [429, { 'retry-after': '7' }],
    [503, { 'retry-after': 'Sun, 03 May 2026 12:01:30 GMT' }],
    [503, {}],
    [500, { 'retry-after': '9' }],
  ];
  server.misbehave((_, response) => {
    const next = responses.shift();
    if (next === undefined) return false;
    response.writeHead(next[0], next[1]).end('later');
    return true;
  });
  const { run, pauses } = attempt(t, server);
  await run();
  assert.deepEqual(pauses, [7_000, 90_000, 4_000, 8_000]);
});

test('a download gives up after a bounded number of tries, or when asked for too long a pause', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES));
  server.misbehave((file, response) => {
    if (file !== 'LapCount.jsonStream') return false;
    response.destroy();
    return true;
  });
  const broken = attempt(t, server);
  assert.match(await broken.refusal(), /LapCount\.jsonStream: .*even after 6 tries\. The downloaded files are kept/);
  assert.equal(broken.pauses.length, DOWNLOAD_TRIES_MAX - 1);
  const asks = await startArchiveServer(t, archiveFiles(FILES));
  asks.misbehave((_, response) => {
    response.writeHead(429, { 'retry-after': String(DOWNLOAD_RETRY_AFTER_MS_MAX / 1000 + 1) }).end();
    return true;
  });
  assert.match(await attempt(t, asks).refusal(), /the archive asks for a pause of 301 seconds\. The downloaded files/);
});

test('topics that the archive lacks are skipped and named; without SessionInfo nothing else is downloaded', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES, ['TeamRadio', 'CarData.z']));
  const { missing } = await attempt(t, server).run();
  assert.deepEqual(
    [...missing],
    [
      ['TeamRadio', 'status 404'],
      ['CarData.z', 'status 404'],
    ],
  );
  const { LapCount } = FILES;
  for (const absent of [['SessionInfo'], []]) {
    const without = await startArchiveServer(t, archiveFiles({ LapCount }, absent));
    assert.match(
      await attempt(t, without).refusal(),
      /it has no SessionInfo\.jsonStream, so nothing says which session/,
    );
    const { folder, run } = attempt(t, without);
    await run(true);
    assert.equal(lapsIn(folder), LAPS);
  }
});

test('an index that is refused, absent, damaged, dangerous or of a season is reported as such', async (t) => {
  for (const [status, body, pattern] of [
    [403, '', /Index\.json: the archive refuses it \(403\)\. The archive refuses sessions that have not taken place/],
    [404, '', /responds with status 404\. Check the address/],
    [302, '', /responds with status 302/],
    [200, '{"Meetings":[]}', /it lists the sessions of a season\. Check the address/],
    [200, '{}', /it does not list the topics of a session/],
    [200, '<html>', /it is not JSON/],
    [200, '{"Feeds":{}}', /it lists 0 topics/],
    [
      200,
      '{"Feeds":{"A":{"StreamPath":"../../x.jsonStream"}}}',
      /it names "\.\.\/\.\.\/x\.jsonStream" for the topic "A"/,
    ],
    [200, '{"Feeds":{"../A":{"StreamPath":"../A.jsonStream"}}}', /for the topic "\.\.\/A"/],
  ] as const) {
    const server = await startArchiveServer(t, archiveFiles(FILES));
    server.misbehave((_, response) => {
      response.writeHead(status).end(body);
      return true;
    });
    assert.match(await attempt(t, server).refusal(), pattern);
  }
});

test('an error page with status 200 and a compressed response are refused', async (t) => {
  for (const [headers, body, pattern] of [
    [{}, '<html>403</html>', /LapCount\.jsonStream: it begins with "<html>403<\/?", not with a time/],
    [{ 'content-encoding': 'gzip' }, 'x', /it is encoded as "gzip", which was not requested/],
  ] as const) {
    const server = await startArchiveServer(t, archiveFiles(FILES));
    server.misbehave((file, response) => {
      if (file !== 'LapCount.jsonStream') return false;
      response.writeHead(200, headers).end(body);
      return true;
    });
    const { folder, refusal } = attempt(t, server);
    assert.match(await refusal(), pattern);
    assert.deepEqual(readdirSync(folder), ['SessionInfo.jsonStream']);
  }
});

test('an interruption ends a download at once and keeps the bytes so far', async (t) => {
  const server = await startArchiveServer(t, archiveFiles(FILES));
  const { folder, run, controller } = attempt(t, server);
  server.misbehave((file, response, body) => {
    if (file !== 'LapCount.jsonStream') return false;
    response.writeHead(200, { 'content-length': body!.length, etag: '"a"' });
    response.write(body!.subarray(0, 1_000), () => setTimeout(() => controller.abort(new Error('enough')), 20));
    return true;
  });
  await assert.rejects(run(), { message: 'enough' });
  assert.deepEqual(readdirSync(folder).sort(), [
    'LapCount.jsonStream.part',
    'LapCount.jsonStream.part.tag',
    'SessionInfo.jsonStream',
  ]);
});

test('an address may lack its final slash or be that of the index, and each session gets its own folder', () => {
  const base = 'https://livetiming.formula1.com/static/2025/2025-05-04_Miami_Grand_Prix/2025-05-04_Race/';
  const addresses = [base, base.slice(0, -1), `${base}Index.json`].map(parseArchiveAddress);
  for (const address of addresses) {
    assert.ok('slug' in address);
    assert.equal(address.baseUrl, base);
    assert.match(address.slug, /^2025-05-04-miami-grand-prix-2025-05-04-race-[0-9a-f]{8}$/);
  }
  const other = parseArchiveAddress(base.replace('livetiming', 'mirror'));
  assert.ok('slug' in other && 'slug' in addresses[0]! && other.slug !== addresses[0].slug);
  for (const [address, pattern] of [
    ['ftp://example.org/race/', /must begin with https/],
    ['https://user:secret@example.org/race/', /user name or a password/],
    ['https://example.org/race/?a=1', /without \? and #/],
    ['https://', /this is not a URL/],
  ] as const) {
    const problem = parseArchiveAddress(address);
    assert.ok('problem' in problem, address);
    assert.match(problem.problem, pattern);
  }
});
