// Headers of a request or an answer that one node passes on to another.

import type { HeaderList } from '#api/http/exchange.ts';

/** The address of the client of a request that is passed on. */
export const CLIENT = 'x-slipstream-client';

/** They belong to one connection, or are made anew for the next. */
const OWN_TO_A_CONNECTION: ReadonlySet<string> = new Set([
  ...[
    'connection',
    'keep-alive',
    'proxy-connection',
    'transfer-encoding',
    'content-length',
    'upgrade',
    'te',
    'trailer',
  ],
  ...['expect', 'date', CLIENT, 'x-forwarded-for', 'x-request-id'],
]);

/**
 * Those of a request, with the client's address and the request's id. Clients send any characters, headers of the platform
 * have those of one byte: each stands for a byte of the UTF-8 text. A control character cannot be sent: its header is left
 * out, and no operation reads one like that.
 */
export function passedOn(headers: HeaderList, clientIp: string, requestId: string): string[] {
  const passed: string[] = [];
  const kept = withoutOwn(headers);
  for (let i = 0; i < kept.length; i += 2)
    if (!kept[i + 1]!.includes('\x7f')) passed.push(kept[i]!, Buffer.from(kept[i + 1]!).toString('latin1'));
  return [...passed, CLIENT, clientIp, 'x-request-id', requestId];
}

/** The value of a header that was passed on so. */
export function receivedValue(value: string): string {
  return Buffer.from(value, 'latin1').toString();
}

/** A path or a query: the platform takes only ASCII in them, and what is escaped means the same. */
export function passedTarget(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}

/** Those of the answer. */
export function passedBack(headers: Readonly<Record<string, string | string[] | undefined>>): string[] {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [name, value] : (value ?? []).flatMap((line) => [name, line]),
  );
  // The answer names the request.
  return [...withoutOwn(list), ...('x-request-id' in headers ? ['x-request-id', String(headers['x-request-id'])] : [])];
}

function withoutOwn(headers: HeaderList): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    if (!OWN_TO_A_CONNECTION.has(headers[i]!.toLowerCase())) kept.push(headers[i]!, headers[i + 1]!);
  }
  return kept;
}
