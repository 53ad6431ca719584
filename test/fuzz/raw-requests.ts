// HTTP/1.1 requests as bytes, including requests that no client library would send.

import fc from 'fast-check';

/** A request with a Host header. */
export const requestText = (line: string, headers: readonly string[], body = ''): string =>
  [line, 'host: localhost', ...headers, '', body].join('\r\n');

const target = fc
  .array(
    fc.oneof(
      fc.constantFrom('v1', 'webhooks', 'feeds', 'simulate', 'docs', 'healthz', 'wh_x', 'logs', 'auth', 'openapi.json'),
      fc.constantFrom(
        '..',
        '.',
        '%2e%2e',
        '%2E%2e%2f',
        '%00',
        '%',
        '%zz',
        '%ff',
        '\\..',
        '',
        '*',
        ';',
        '#',
        '?',
        '__proto__',
      ),
      fc.constantFrom(
        'a'.repeat(2_000),
        'a'.repeat(20_000),
        '\u00e9',
        '%c0%ae%c0%ae',
        '%ed%a0%80',
        '%25%32%65',
        'constructor',
      ),
    ),
    { maxLength: 6 },
  )
  .map((segments) => `/${segments.join('/')}`);

const header = fc.oneof(
  fc.constantFrom(
    'authorization: Bearer x',
    'host: b',
    'host:',
    'connection: close',
    'connection: keep-alive, upgrade',
    'upgrade: websocket',
  ),
  fc.constantFrom(
    'content-length: -1',
    'content-length: 5',
    'content-length: 0x10',
    'content-length: 99999999999999999999',
  ),
  fc.constantFrom(
    'transfer-encoding: chunked',
    'transfer-encoding: gzip, chunked',
    'transfer-encoding:\tchunked',
    'te: trailers',
  ),
  fc.constantFrom(
    'expect: 100-continue',
    'content-type: application/json',
    'content-encoding: gzip',
    'range: bytes=0-,-1',
  ),
  fc.constantFrom(
    'x-forwarded-for: 1.2.3.4, ::1, x',
    'origin: null',
    'x-request-id: \u0000',
    'authorization: Basic \u00ff',
  ),
  fc.constantFrom(
    ' folded',
    'no colon',
    ': no name',
    'sp ace: x',
    'nul\u0000: x',
    `long: ${'x'.repeat(5_000)}`,
    'cookie: ;;==;',
  ),
  fc.constantFrom(
    'sec-websocket-key: x',
    'http2-settings: AAMAAABk',
    '\u00ff\u00fe: x',
    'session: x',
    'cookie: session=\u00ff',
  ),
);

const body = fc.oneof(
  fc.constantFrom(
    '',
    '{}',
    '{"a":',
    'zz\r\n{}\r\n',
    'ffffffffffffffff\r\nx\r\n',
    '0\r\n\r\n',
    '-1\r\n\r\n',
    '5;ext=1\r\nabcde\r\n0\r\n\r\n',
  ),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.constant('x'.repeat(70_000)),
);

const mostly = (usual: string, ...others: string[]): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 8 }, fc.constantFrom(...others));

/** An odd request, built byte by byte. */
export const madeUpRequest: fc.Arbitrary<Buffer> = fc
  .record({
    method: fc.oneof(
      { arbitrary: fc.constantFrom('GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'), weight: 3 },
      fc.constantFrom('TRACE', 'CONNECT', 'get', 'M-SEARCH', '', 'X'.repeat(300)),
    ),
    target: fc.oneof(
      { arbitrary: target, weight: 8 },
      fc.constantFrom('*', 'http://localhost/v1/feeds', 'localhost:80', '//v1/feeds', '?x'),
    ),
    version: mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', ''),
    headers: fc.array(header, { maxLength: 2 }),
    end: mostly('\r\n', '\n', '\r'),
    body,
    measured: fc.boolean(),
  })
  .map((made) => {
    const length = made.measured ? [`content-length: ${made.body.length}`] : [];
    const start = `${made.method} ${made.target} ${made.version}`;
    const lines = [start, 'host: localhost', ...length, ...made.headers, '', made.body];
    return Buffer.from(lines.join(made.end), 'latin1');
  });
