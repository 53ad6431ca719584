// A client of GET /v1/stream in tests: it reads events as they come, and can leave at any moment.

import { eventually } from '#test/support/patience.ts';

export interface StreamEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export interface EventStream {
  readonly status: number;
  /** What was refused; null for a stream. */
  readonly refusal: { readonly code: string; readonly error: string } | null;
  readonly events: StreamEvent[];
  /** The id with which the client would continue. */
  readonly lastId: () => string;
  /** The updates, as their webhook bodies. */
  readonly bodies: () => string[];
  readonly sequences: () => number[];
  /** Why it ended; null while it is open. */
  readonly end: () => { readonly code: string; readonly message: string } | null;
  /** Waits for so many updates. */
  readonly updates: (count: number) => Promise<void>;
  /** Waits until the service has ended it. */
  readonly ended: () => Promise<void>;
  readonly leave: () => void;
}

export async function openStream(
  address: string,
  token: string,
  query: string,
  lastEventId = '',
): Promise<EventStream> {
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId !== '' && { 'last-event-id': lastEventId }) };
  const response = await fetch(`${address}/v1/stream?${query}`, { headers, signal: leaving.signal });
  const events: StreamEvent[] = [];
  let lastId = lastEventId;
  let isOver = false;
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const refusal = isStream || response.status === 204 ? null : ((await response.json()) as EventStream['refusal']);
  const take = (block: string): void => {
    const fields = new Map(block.split('\n').map((line) => [/^\w*/.exec(line)![0], line.replace(/^\w*: ?/, '')]));
    lastId = fields.get('id') ?? lastId;
    const data = fields.get('data');
    if (data !== undefined) events.push({ id: lastId, event: fields.get('event') ?? 'message', data });
  };
  const read = async (): Promise<void> => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) take(block);
    }
  };
  if (isStream) {
    read()
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
  }
  const updates = (): StreamEvent[] => events.filter(({ event }) => event !== 'stream');
  return {
    status: response.status,
    refusal,
    events,
    lastId: () => lastId,
    bodies: () => updates().map(({ data }) => data),
    sequences: () => updates().map(({ data }) => JSON.parse(data).sequence),
    end: () => {
      const last = events.at(-1);
      return last?.event === 'stream' && JSON.parse(last.data).state === 'ended' ? JSON.parse(last.data) : null;
    },
    updates: async (count) => {
      await eventually(`${count} updates`, () => updates().length >= count);
    },
    ended: async () => {
      await eventually('the end of the stream', () => isOver);
    },
    leave: () => leaving.abort(),
  };
}
