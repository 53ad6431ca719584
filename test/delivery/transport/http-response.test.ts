// The response parser: compared with the same response in one piece and with Node's own parser (llhttp), and at its
// bounds.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import fc from 'fast-check';
import { RESPONSE_HEADER_BYTES_MAX, RESPONSE_KEPT_BYTES_MAX, RESPONSE_READ_BYTES_MAX } from '#engine/base/limits.ts';
import { HttpResponse, type Progress } from '#engine/delivery/transport/http-response.ts';

/** How the parser read a response. `end`: its last progress; `readBytes`: how many bytes it had been given by then. */
interface Reading {
  readonly end: Progress;
  readonly statusCode: number;
  readonly text: string;
  readonly reusable: boolean;
  readonly keepAliveMs: number | null;
  readonly problem: string;
  readonly readBytes: number;
}

/** All bytes of a connection go through one buffer, which is overwritten each time. */
const BUFFER = Buffer.alloc(RESPONSE_READ_BYTES_MAX);

/** Feeds the response in pieces that end at `cuts`, while the parser wants more; `closed`: then the connection ends. */
function readInPieces(answer: HttpResponse, bytes: Buffer, cuts: readonly number[], closed: boolean): Reading {
  let end: Progress = 'more';
  let at = 0;
  for (const to of [...cuts, bytes.length]) {
    while (at < to && end === 'more') {
      const size = bytes.copy(BUFFER, 0, at, to);
      end = answer.read(BUFFER, size);
      BUFFER.fill(0xa5, 0, size);
      at += size;
    }
  }
  if (end === 'more' && closed) end = answer.ended();
  const { keepAliveMs, statusCode, text } = answer;
  const problem = end === 'broken' ? answer.failure.detail : '';
  // Bytes after a response end the connection, in whatever piece they arrive.
  const reusable = end === 'complete' && answer.reusable && at === bytes.length;
  return { end, statusCode, text, reusable, keepAliveMs, problem, readBytes: at };
}

function reading(text: string, closed = false): Reading {
  return readInPieces(new HttpResponse(), Buffer.from(text, 'latin1'), [], closed);
}

function head(...lines: string[]): string {
  return lines
    .map((line) => `${line}\r\n`)
    .join('')
    .concat('\r\n');
}

const caseOf = (text: string): fc.Arbitrary<string> => fc.mixedCase(fc.constant(text));
const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/);
const value = fc.stringMatching(/^[\x21-\x7e\x80-\xff\t ]{0,40}$/);
const bodyBytes = fc.oneof(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ minLength: 900, maxLength: 1_200 }));
const FRAMING = /^(content-length|transfer-encoding|connection|keep-alive|upgrade|proxy-connection|set-cookie)$/i;
const otherField = fc
  .tuple(
    token.filter((name) => !FRAMING.test(name)),
    fc.constantFrom('', ' ', '\t ', '  '),
    value,
  )
  .map((parts) => [parts[0], ':', parts[1], parts[2]].join(''));
const connectionField = fc
  .oneof(
    fc.tuple(caseOf('connection'), fc.constantFrom('close', 'Close ', 'keep-alive', 'x, close', 'close,\ty', 'closed')),
    fc.tuple(caseOf('keep-alive'), fc.constantFrom('timeout=5', 'max=3, Timeout=20', 'max=9')),
  )
  .map(([name, text]) => `${name}: ${text}`);
const statusCode = fc.constantFrom(200, 201, 202, 204, 299, 301, 304, 400, 404, 429, 500, 503, 599);
const interim = fc
  .tuple(fc.constantFrom(100, 102, 103), fc.array(otherField, { maxLength: 2 }))
  .map(([status, fields]) => head(`HTTP/1.1 ${status} Wait`, ...fields));

/** A body with the header lines that say how long it is. */
const framed = fc.oneof(
  bodyBytes.map((body) => ({ fields: [`Content-Length: ${body.length}`], bytes: Buffer.from(body) })),
  bodyBytes.map((body) => ({ fields: [], bytes: Buffer.from(body) })),
  fc
    .tuple(
      caseOf('transfer-encoding'),
      fc.constantFrom('chunked', 'Chunked ', 'gzip, chunked'),
      fc.array(fc.tuple(bodyBytes, fc.constantFrom('', ';a', ';a=b', ';a="b"'), fc.boolean()), { maxLength: 4 }),
      fc.array(otherField, { maxLength: 2 }),
    )
    .map(([name, coding, chunks, trailers]) => ({
      fields: [`${name}: ${coding}`],
      bytes: Buffer.concat([
        ...chunks
          .filter(([chunk]) => chunk.length > 0)
          .flatMap(([chunk, extension, upper]) => {
            const size = chunk.length.toString(16);
            return [
              Buffer.from(`${upper ? size.toUpperCase() : `0${size}`}${extension}\r\n`),
              chunk,
              Buffer.from('\r\n'),
            ];
          }),
        Buffer.from(`0\r\n${trailers.map((line) => `${line}\r\n`).join('')}\r\n`, 'latin1'),
      ]),
    })),
);

/** A complete, valid response. */
const validAnswer = fc
  .record({
    interims: fc.array(interim, { maxLength: 2 }),
    status: statusCode,
    reason: fc.constantFrom('', ' ', ' OK', ' Not what you want'),
    before: fc.array(fc.oneof(otherField, connectionField), { maxLength: 3 }),
    after: fc.array(fc.oneof(otherField, connectionField), { maxLength: 3 }),
    body: framed,
  })
  .map(({ interims, status, reason, before, after, body }) => {
    const empty = status === 204 || status === 304;
    const lines = head(`HTTP/1.1 ${status}${reason}`, ...before, ...(empty ? [] : body.fields), ...after);
    return Buffer.concat([Buffer.from(interims.join('') + lines, 'latin1'), empty ? Buffer.alloc(0) : body.bytes]);
  });

/** The same response with a few bytes changed, inserted or removed: mostly invalid. */
const spoiledAnswer = fc
  .tuple(
    validAnswer,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom('\r', '\n', ' ', '\t', ':', ';', ',', '0', '5', 'f', 'x', '\0', '\x7f', '\xff', '\r\n', ''),
        fc.nat(2),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([answer, changes]) => {
    let text = answer.toString('latin1');
    for (const [place, put, removed] of changes) {
      const at = place % Math.min(text.length, 200);
      text = text.slice(0, at) + put + text.slice(at + removed);
    }
    return Buffer.from(text, 'latin1');
  });

interface Llhttp {
  initialize(type: number, resource: object): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
  [event: number]: (...args: never[]) => unknown;
}

const { HTTPParser } = createRequire(import.meta.url)('node:_http_common') as {
  HTTPParser: {
    new (): Llhttp;
    readonly RESPONSE: number;
    readonly kOnHeadersComplete: number;
    readonly kOnBody: number;
    readonly kOnMessageComplete: number;
  };
};

/** How llhttp reads it, up to the end of the first final response. */
function llhttpReading(bytes: Buffer): {
  end: 'complete' | 'broken';
  statusCode: number;
  text: string;
  reusable: boolean;
  code: string;
} {
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.RESPONSE, {});
  let status = 0;
  let keepAlive = false;
  let complete = false;
  const body: Buffer[] = [];
  parser[HTTPParser.kOnHeadersComplete] = (...args: unknown[]): number => {
    if (complete) return 0;
    status = args[5] as number;
    keepAlive = args[8] as boolean;
    return 0;
  };
  parser[HTTPParser.kOnBody] = (chunk: Buffer): void => {
    if (!complete) body.push(Buffer.from(chunk));
  };
  parser[HTTPParser.kOnMessageComplete] = (): void => {
    if (status >= 200) complete = true;
  };
  const executed = parser.execute(bytes);
  const failure = executed instanceof Error ? executed : parser.finish();
  const text = Buffer.concat(body).subarray(0, RESPONSE_KEPT_BYTES_MAX).toString('utf8');
  const code = failure instanceof Error ? (failure as unknown as { code: string }).code : '';
  return { end: complete ? 'complete' : 'broken', statusCode: status, text, reusable: complete && keepAlive, code };
}

/** The facts that must not depend on how the bytes are cut; for a broken response, only that it is broken. */
function essence({ end, statusCode, text, reusable, keepAliveMs, problem }: Reading) {
  return end === 'broken' ? { end, problem } : { end, statusCode, text, reusable, keepAliveMs };
}

const cutsOf = (bytes: Buffer): fc.Arbitrary<number[]> =>
  fc.oneof(
    fc.array(fc.nat(bytes.length), { maxLength: 12 }).map((cuts) => cuts.sort((a, b) => a - b)),
    fc.constant(Array.from(bytes, (_byte, place) => place)),
  );

test('a response is read the same in one piece, in pieces and byte by byte', () => {
  const split = fc
    .oneof(validAnswer, spoiledAnswer)
    .chain((bytes) => fc.tuple(fc.constant(bytes), cutsOf(bytes), fc.boolean()));
  fc.assert(
    fc.property(split, ([bytes, cuts, closed]) => {
      const whole = readInPieces(new HttpResponse(), bytes, [], closed);
      assert.deepEqual(essence(readInPieces(new HttpResponse(), bytes, cuts, closed)), essence(whole));
    }),
    { numRuns: 600 },
  );
});

test('responses over one connection do not affect each other', () => {
  fc.assert(
    fc.property(fc.array(validAnswer, { minLength: 2, maxLength: 4 }), (answers) => {
      const one = new HttpResponse();
      for (const bytes of answers) {
        const { end, ...rest } = readInPieces(one, bytes, [bytes.length >> 1], true);
        assert.deepEqual({ end, ...rest }, readInPieces(new HttpResponse(), bytes, [], true));
        one.reset();
      }
    }),
    { numRuns: 200 },
  );
  const one = new HttpResponse();
  const bytes = Buffer.from(head('HTTP/1.1 204 No Content', `X-A: ${'a'.repeat(100)}`));
  for (let i = 0; i < 2 * (RESPONSE_HEADER_BYTES_MAX / bytes.length); i++) {
    assert.equal(one.read(bytes, bytes.length), 'complete');
    one.reset();
  }
});

test('a valid response is read as llhttp reads it', () => {
  fc.assert(
    fc.property(validAnswer, (bytes) => {
      const { end, statusCode, text, reusable } = readInPieces(new HttpResponse(), bytes, [], true);
      const other = llhttpReading(bytes);
      assert.equal(other.code, '', 'a valid answer');
      assert.deepEqual(
        { end, statusCode, text, reusable },
        { end: other.end, statusCode: other.statusCode, text: other.text, reusable: other.reusable },
      );
    }),
    { numRuns: 600 },
  );
});

/** Responses that llhttp refuses and we accept on purpose: none makes the end of the response ambiguous. */
const READ_ON_PURPOSE: ReadonlySet<string> = new Set([
  // Names with characters that no name should have, DEL in a value.
  'HPE_INVALID_HEADER_TOKEN',
  // The same length twice.
  'HPE_UNEXPECTED_CONTENT_LENGTH',
  // Chunk extensions and spaces after a chunk's size, trailers without a name.
  'HPE_STRICT',
  'HPE_INVALID_CHUNK_SIZE',
  'HPE_CR_EXPECTED',
  // An interim response of HTTP/1.0.
  'HPE_CLOSED_CONNECTION',
]);

test('a damaged response is refused, or read as llhttp reads it, with the listed exceptions', () => {
  fc.assert(
    fc.property(spoiledAnswer, (bytes) => {
      // By RFC 9110 a tab after `chunked` is white space; llhttp takes it as part of the word.
      fc.pre(!/chunked[ \t]*\t/i.test(bytes.toString('latin1')));
      const ours = readInPieces(new HttpResponse(), bytes, [], true);
      const other = llhttpReading(bytes);
      if (ours.end !== 'complete') return;
      if (other.end === 'broken') {
        assert.ok(READ_ON_PURPOSE.has(other.code), `${other.code}: ${JSON.stringify(bytes.toString('latin1'))}`);
        return;
      }
      assert.deepEqual([ours.statusCode, ours.text], [other.statusCode, other.text]);
      assert.ok(!ours.reusable || other.reusable, 'H3');
    }),
    { numRuns: 600 },
  );
});

test('H2: an ambiguous response is broken', () => {
  const ok = 'HTTP/1.1 200 OK';
  const broken: Readonly<Record<string, string>> = {
    'two lengths': head(ok, 'Content-Length: 1', 'Content-Length: 2'),
    'two lengths in one line': head(ok, 'Content-Length: 2, 2'),
    'a length before chunks': head(ok, 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    'a length after chunks': head(ok, 'Transfer-Encoding: chunked', 'Content-Length: 2'),
    'a length that is no number': head(ok, 'Content-Length: 0x2'),
    'a length with a sign': head(ok, 'Content-Length: +2'),
    'a length of nothing': head(ok, 'Content-Length: '),
    'a length beyond all numbers': head(ok, `Content-Length: ${'9'.repeat(16)}`),
    'a line without a colon': head(ok, 'Content-Length'),
    'a line without a name': head(ok, ': 2'),
    'a space before the colon': head(ok, 'Content-Length : 2'),
    'a line that goes on in the next one': head(ok, 'X-A: b', ' Content-Length: 2'),
    'a line feed alone after the status': `${ok}\nContent-Length: 2\r\n\r\n`,
    'a line feed alone after a line': `${ok}\r\nX-A: b\nContent-Length: 2\r\n\r\n`,
    'a carriage return alone after the status': `${ok}\rContent-Length: 2\r\n\r\n`,
    'a carriage return in place of the status text': `HTTP/1.1 200\rX\r\n\r\n`,
    'a carriage return alone in a value': `${ok}\r\nX-A: b\rContent-Length: 2\r\n\r\n`,
    'a NUL in a value': head(ok, 'X-A: \0'),
    'a version of its own': head('HTTP/1.2 200 OK'),
    'another version': head('HTTP/2.0 200 OK'),
    'no version': head('ICY 200 OK'),
    'a status of two digits': head('HTTP/1.1 20 OK'),
    'a status of four digits': head('HTTP/1.1 2000 OK'),
    'a status below all': head('HTTP/1.1 099 OK'),
    'an empty line first': `\r\n${head(ok, 'Content-Length: 0')}`,
    'another protocol from here on': head('HTTP/1.1 101 Switching', 'Upgrade: websocket'),
    'a chunk without a size': `${head(ok, 'Transfer-Encoding: chunked')}\r\n`,
    'a chunk of a size that is none': `${head(ok, 'Transfer-Encoding: chunked')}-1\r\n`,
    'a chunk of two sizes': `${head(ok, 'Transfer-Encoding: chunked')}1 2\r\n`,
    'a chunk beyond all sizes': `${head(ok, 'Transfer-Encoding: chunked')}100000000\r\n`,
    'a chunk longer than it says': `${head(ok, 'Transfer-Encoding: chunked')}1\r\nab\r\n0\r\n\r\n`,
    'a chunk whose end is none': `${head(ok, 'Transfer-Encoding: chunked')}1\r\naxx0\r\n\r\n`,
    'a line feed alone after a size': `${head(ok, 'Transfer-Encoding: chunked')}1\na\r\n0\r\n\r\n`,
    'a carriage return in an extension': `${head(ok, 'Transfer-Encoding: chunked')}1;\r0\r\na\r\n0\r\n\r\n`,
    'a line feed alone after a trailer': `${head(ok, 'Transfer-Encoding: chunked')}0\r\na: b\n\r\n`,
    'line feeds alone at the end': `${head(ok, 'Transfer-Encoding: chunked')}0\r\n\n\n`,
  };
  for (const [what, text] of Object.entries(broken)) {
    const { end, problem } = reading(text);
    assert.equal(end, 'broken', what);
    assert.notEqual(problem, '', what);
  }
});

test('a response cut off before its end is broken; one that the end of the connection ends is complete', () => {
  const unfinished = [
    'HTTP/1.1 200 OK\r\nContent-',
    `${head('HTTP/1.1 200 OK', 'Content-Length: 3')}ab`,
    `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}2\r\nab\r\n`,
    `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}2\r\nab\r\n0\r\n`,
    head('HTTP/1.1 100 Continue'),
    '',
  ];
  for (const text of unfinished) {
    assert.equal(reading(text).end, 'more', text);
    assert.deepEqual([reading(text, true).end, reading(text, true).reusable], ['broken', false], text);
  }
  for (const fields of [[], ['Transfer-Encoding: gzip'], ['Transfer-Encoding: chunked, gzip']]) {
    const text = `${head('HTTP/1.1 200 OK', ...fields)}abc`;
    assert.equal(reading(text).end, 'more');
    assert.deepEqual([reading(text, true).text, reading(text, true).reusable], ['abc', false]);
  }
});

/** Feeds a start and then the same piece again and again. Returns how many bytes were read and how it ended. */
function endless(start: string, again: string): Reading {
  const repeated = again.repeat(Math.ceil((4 * RESPONSE_READ_BYTES_MAX) / again.length));
  const bytes = Buffer.from(start + repeated, 'latin1');
  const inOne = readInPieces(new HttpResponse(), bytes, [], false);
  const piece = Math.max(7, again.length - 1);
  const cuts = Array.from({ length: Math.floor(bytes.length / piece) }, (_none, i) => i * piece);
  const dripped = readInPieces(new HttpResponse(), bytes, cuts, false);
  assert.deepEqual([dripped.end, dripped.problem], [inOne.end, inOne.problem]);
  return dripped;
}

test('H1: an endless response is given up at its bound, in every part', () => {
  const chunked = head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked');
  const heads: Readonly<Record<string, readonly [string, string]>> = {
    'a line': ['HTTP/1.1 200 OK\r\nX-A: ', 'a'],
    'a status text': ['HTTP/1.1 200 ', 'OK '],
    'header lines': ['HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'],
    nonsense: ['', 'a'],
    'interim answers': ['', head('HTTP/1.1 100 Continue')],
    'trailer lines': [`${chunked}0\r\n`, 'X-A: b\r\n'],
    'one trailer line': [`${chunked}0\r\nX-A: `, 'b'],
  };
  for (const [what, [start, again]] of Object.entries(heads)) {
    const { end, readBytes, problem } = endless(start, again);
    assert.deepEqual([end, problem], ['broken', 'the response head is too long'], what);
    assert.ok(readBytes <= RESPONSE_HEADER_BYTES_MAX + 64, `${what}: ${readBytes}`);
  }
  const bodies: Readonly<Record<string, readonly [string, string]>> = {
    'a body until the end': [head('HTTP/1.1 200 OK'), 'body '],
    'a long body': [head('HTTP/1.1 200 OK', 'Content-Length: 999999999'), 'body '],
    'a long chunk': [`${chunked}fffffff\r\n`, 'body '],
    'chunks of a byte': [chunked, '1\r\nb\r\n'],
    'chunks that are mostly extensions': [chunked, `1;${'x'.repeat(200)}\r\nb\r\n`],
  };
  for (const [what, [start, again]] of Object.entries(bodies)) {
    const { end, readBytes, statusCode, text } = endless(start, again);
    assert.deepEqual([end, statusCode], ['enough', 200], what);
    // The CR LF at the end of each chunk is not counted, and there are as many of those as sizes.
    assert.ok(readBytes <= 2 * RESPONSE_READ_BYTES_MAX, `${what}: ${readBytes}`);
    assert.ok(text.length <= RESPONSE_KEPT_BYTES_MAX, what);
  }
  assert.equal(endless(`${chunked}1;`, 'x').problem, "a chunk's size line is too long");
});

test('H1: a head of exactly the bound is read, interim responses included, and one byte more is not', () => {
  for (const before of ['', head('HTTP/1.1 103 Early Hints', 'Link: </a>')]) {
    const rest = before.length + head('HTTP/1.1 200 OK', 'Content-Length: 0', 'X-A: ').length;
    const exact = 'a'.repeat(RESPONSE_HEADER_BYTES_MAX - rest);
    const answer = (filling: string) => before + head('HTTP/1.1 200 OK', 'Content-Length: 0', `X-A: ${filling}`);
    assert.equal(reading(answer(exact)).end, 'complete');
    assert.equal(reading(answer(`${exact}a`)).end, 'broken');
  }
});

test('H3: a connection is reused only after a response whose head gave its end and after which nothing can come', () => {
  const reusable: Readonly<Record<string, string>> = {
    'a length': `${head('HTTP/1.1 200 OK', 'Content-Length: 2')}ok`,
    'no body': head('HTTP/1.1 200 OK', 'Content-Length: 0'),
    chunks: `${head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}2\r\nok\r\n0\r\n\r\n`,
    'no content': head('HTTP/1.1 204 No Content'),
    'no content, said twice': head('HTTP/1.1 204 No Content', 'Content-Length: 0'),
    'an interim answer that would end it': head('HTTP/1.1 103 x', 'Connection: close') + head('HTTP/1.1 204 x'),
  };
  for (const [what, text] of Object.entries(reusable)) {
    assert.deepEqual([reading(text).end, reading(text).reusable], ['complete', true], what);
    assert.equal(reading(`${text}\r`).reusable, false, `${what}, and more`);
    const closing = text.replace(/\r\n\r\n/g, '\r\nConnection: Keep-Alive, CLOSE\r\n\r\n');
    if (!text.includes('close')) assert.equal(reading(closing).reusable, false, `${what}, and the last one`);
    assert.equal(reading(text.replaceAll('HTTP/1.1', 'HTTP/1.0')).reusable, false, `${what}, of HTTP/1.0`);
  }
  const last = [
    head('HTTP/1.1 204 No Content', 'Content-Length: 2'),
    head('HTTP/1.1 204 No Content', 'Transfer-Encoding: chunked'),
    head('HTTP/1.1 304 Not Modified', 'Content-Length: 2'),
  ];
  for (const text of last) assert.deepEqual([reading(text).end, reading(text).reusable], ['complete', false], text);
});

test('the keep-alive timeout is that of the latest response, and null if that has none', () => {
  const answer = new HttpResponse();
  const kept = (...lines: string[]): number | null => {
    const read = readInPieces(answer, Buffer.from(head('HTTP/1.1 204 No Content', ...lines)), [], false);
    answer.reset();
    return read.keepAliveMs;
  };
  assert.equal(kept('Keep-Alive: timeout=5, max=100'), 5_000);
  assert.equal(kept(), null);
  assert.equal(kept('keep-alive: max=100,\ttimeout=60'), 60_000);
  assert.equal(kept('keep-alive: nottimeout=60'), null);
});
