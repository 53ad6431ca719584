// GET /v1/stream: updates as server-sent events, live or recorded.

import Type, { type Static } from 'typebox';
import type { EventChannel } from '#api/http/event-channel.ts';
import { bearerOperation, type Operation } from '#api/http/operation.ts';
import type { StreamEndCode } from '#api/http/stream-end.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import type { StreamHub } from '#engine/delivery/stream/stream-hub.ts';
import type { LaneOrder, LanePace } from '#engine/delivery/stream/stream-lane.ts';
import type { UpdateStream } from '#engine/delivery/stream/update-stream.ts';
import { UpdatesQuery } from '#schemas/http/streams.ts';
import { EventStreamSink } from './event-stream-sink.ts';
import type { StreamRequest } from './stream-request.ts';
import type { OpenedStream, StreamFront, Streams } from './streams.ts';

export interface StreamRoutesParts {
  readonly streams: Pick<Streams, 'open'>;
  readonly hub: StreamHub;
  readonly clock: TimerClock;
}

export function streamRoutes({ streams, hub, clock }: StreamRoutesParts): { readonly open: Operation } {
  return {
    open: bearerOperation(
      {
        summary: 'Stream updates',
        query: UpdatesQuery,
        answer: Type.String(),
        statuses: [],
        events: true,
        nothing: 'The client has seen everything (with `Last-Event-ID`).',
        reads: ['last-event-id', 'authorization'],
        refuses: [
          'invalid_filters',
          'plan_limit_reached',
          'tier_required',
          'insufficient_tier',
          'out_of_season',
          'not_found',
          'not_prepared',
          'preparing',
          'updates_gone',
          'stream_limit_reached',
          'simulate_quota_reached',
        ],
        startsSomething: true,
      },
      async ({ query, caller, headers }) => {
        const request = requestOf(query, headers['last-event-id']!);
        const shown = new ShownStream(hub, clock);
        const opened = await streams.open({ caller, authorization: headers.authorization!, request }, shown);
        if (opened === null) return { kind: 'nothing' };
        return { kind: 'events', open: (channel) => shown.show(opened, request, channel) };
      },
    ),
  };
}

type Playing =
  | { readonly kind: 'opening' }
  | { readonly kind: 'shown'; readonly stream: UpdateStream; readonly sink: EventStreamSink; readonly over: () => void }
  | { readonly kind: 'over' };

/** A stream on its way to one client. */
class ShownStream implements StreamFront {
  readonly #hub: StreamHub;
  readonly #clock: TimerClock;
  #playing: Playing = { kind: 'opening' };

  constructor(hub: StreamHub, clock: TimerClock) {
    this.#hub = hub;
    this.#clock = clock;
  }

  show(opened: OpenedStream, { session, run, place }: StreamRequest, channel: EventChannel): void {
    const sink = new EventStreamSink(channel, this.#clock);
    const { feedIds, feeds, endless, awaited } = opened;
    const over = (): void => {
      this.#playing = { kind: 'over' };
      sink.left();
      this.#hub.leave(stream);
      opened.closed();
    };
    const stream = this.#hub.join({
      feeds,
      endless,
      awaited,
      sink,
      listener: {
        sent: (feed, isDemo, updates) => opened.sent(feed, isDemo, updates, this.#clock.wallMs()),
        ended: (code) => this.end(code),
      },
    });
    this.#playing = { kind: 'shown', stream, sink, over };
    channel.onClose(() => {
      if (this.#playing.kind === 'shown') over();
      else sink.left();
    });
    channel.onDrain(() => {
      sink.drained();
      stream.drained();
    });
    const subject = session === null ? { run: run! } : { session };
    sink.begin({ ...subject, feeds: feedIds }, endless && place === '');
    opened.begin();
  }

  open(order: LaneOrder): void {
    if (this.#playing.kind === 'shown') this.#playing.stream.open(order);
  }

  pace(sessionId: string, pace: LanePace, position: number | null): void {
    if (this.#playing.kind === 'shown') this.#playing.stream.pace(sessionId, pace, position);
  }

  stop(sessionId: string): void {
    if (this.#playing.kind === 'shown') this.#playing.stream.stop(sessionId);
  }

  end(code: StreamEndCode): void {
    if (this.#playing.kind !== 'shown') return;
    const { sink, over } = this.#playing;
    over();
    sink.end(code);
  }
}

function requestOf(query: Static<typeof UpdatesQuery>, place: string): StreamRequest {
  const { session = null, run = null, feeds = '', after = null, speed = null, positionMin, positionMax } = query;
  const filters: Record<string, unknown> = {};
  for (const key of ['drivers', 'driverNumbers', 'constructors', 'eventTypes'] as const) {
    if (query[key] !== undefined) filters[key] = listed(query[key]);
  }
  if (positionMin !== undefined || positionMax !== undefined) {
    filters.positions = {
      ...(positionMin !== undefined && { min: positionMin }),
      ...(positionMax !== undefined && { max: positionMax }),
    };
  }
  return { session, run, feeds: listed(feeds), filters, after, place, speed };
}

function listed(text: string): string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}
