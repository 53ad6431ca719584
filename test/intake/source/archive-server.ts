// A local archive for tests of downloads. It serves files, and misbehaves on request.

import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

export interface ArchiveRequest {
  readonly file: string;
  readonly headers: IncomingMessage['headers'];
}

/** Responds instead of the server. Returns false to let the server respond as usual. */
export type Misbehaviour = (file: string, response: ServerResponse, body: Buffer | undefined) => boolean;

export interface ArchiveServer {
  readonly baseUrl: string;
  readonly requests: ArchiveRequest[];
  /** Highest number of concurrent requests. */
  readonly atOnceMax: () => number;
  misbehave(how: Misbehaviour): void;
  /** Whether the server honours Range, and which header names the version of a file. */
  readonly ways: { ranges: boolean; tag: 'etag' | 'weak' | 'date' | 'none' };
}

const MODIFIED = 'Sun, 04 May 2025 22:00:00 GMT';

export async function startArchiveServer(t: TestContext, files: Map<string, Buffer>): Promise<ArchiveServer> {
  const requests: ArchiveRequest[] = [];
  const ways: ArchiveServer['ways'] = { ranges: true, tag: 'etag' };
  let misbehaviour: Misbehaviour = () => false;
  let atOnce = 0;
  let atOnceMax = 0;
  const server = createServer((request, response) => {
    const file = request.url!.split('/').at(-1)!;
    requests.push({ file, headers: request.headers });
    atOnceMax = Math.max(atOnceMax, ++atOnce);
    response.on('close', () => atOnce--);
    const body = request.url!.startsWith('/2025/race/') ? files.get(file) : undefined;
    if (misbehaviour(file, response, body)) return;
    if (body === undefined) {
      response.writeHead(404).end('<html>');
      return;
    }
    const digest = createHash('sha1').update(body).digest('hex');
    const tags = { etag: `"${digest}"`, weak: `W/"${digest}"`, date: MODIFIED, none: '' };
    const tag = tags[ways.tag];
    const tagHeaders = ways.tag === 'date' ? { 'last-modified': tag } : ways.tag === 'none' ? {} : { etag: tag };
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (ways.ranges && start > 0 && request.headers['if-range'] === tag) {
      if (start >= body.length) {
        response.writeHead(416).end();
        return;
      }
      const headers = { 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` };
      response
        .writeHead(206, { ...headers, ...tagHeaders, 'content-length': body.length - start })
        .end(body.subarray(start));
      return;
    }
    response.writeHead(200, { ...tagHeaders, 'content-length': body.length }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    baseUrl: `http://127.0.0.1:${port}/2025/race/`,
    requests,
    ways,
    atOnceMax: () => atOnceMax,
    misbehave(how) {
      misbehaviour = how;
    },
  };
}

/** The files of the topics and an index that lists them, and the absent topics as well. */
export function archiveFiles(
  topics: Readonly<Record<string, string | Buffer>>,
  absent: readonly string[] = [],
): Map<string, Buffer> {
  const names = [...Object.keys(topics), ...absent];
  const feeds = names.map((topic) => [topic, { KeyFramePath: `${topic}.json`, StreamPath: `${topic}.jsonStream` }]);
  const index = `\ufeff${JSON.stringify({ Feeds: Object.fromEntries(feeds) })}`;
  return new Map([
    ['Index.json', Buffer.from(index)],
    ...Object.entries(topics).map(([topic, text]) => [`${topic}.jsonStream`, Buffer.from(text)] as const),
  ]);
}
