// The main thread's side of gRPC: who may call what, and what a stream shows. The gRPC thread sends, and reports what it
// has sent.
//
// GH1 A call that the thread has reported as left is answered no more, and what it held is given up.
// GH2 When the thread dies, all its calls have left.

import { ApiError } from '#api/http/api-error.ts';
import type { CallDesk, DeskCall, DeskOperation } from '#api/http/call-desk.ts';
import { type ClientAddress, limitGroup } from '#api/http/client-address.ts';
import type { Operation } from '#api/http/operation.ts';
import { schemaCheck } from '#api/http/schema-check.ts';
import { refuseViolations } from '#api/http/violations.ts';
import type { PlanTerms } from '#api/plans/plan.ts';
import type { StreamRequest } from '#api/streams/stream-request.ts';
import type { OpenedStream, StreamFront, Streams } from '#api/streams/streams.ts';
import type { LaneOrder } from '#engine/delivery/stream/stream-lane.ts';
import type { FromGrpc, ToGrpc } from './grpc-messages.ts';
import {
  type SessionsAnswer,
  type SessionsRequest,
  type SnapshotAnswer,
  type SnapshotRequest,
  SubscribeRequest,
  timestampOf,
} from './grpc-requests.ts';
import { eachSent } from './sent-updates.ts';

export interface GrpcHostParts {
  readonly streams: Pick<Streams, 'open'>;
  readonly desk: CallDesk;
  /** GET /v1/simulate/sessions and GET /v1/sessions/:sessionId/state. */
  readonly listSessions: Operation;
  readonly readState: Operation;
  readonly clientAddress: ClientAddress;
}

type Call = Extract<FromGrpc, { kind: 'call' }>;

type Progress =
  | { readonly kind: 'asked' }
  | { readonly kind: 'streaming'; readonly opened: OpenedStream }
  /** GH1 */
  | { readonly kind: 'left' };

const checkSubscribe = schemaCheck(SubscribeRequest, 'the request');
const WORDS = { after: 'resume_after', place: 'cursor', placeSource: 'the cursor of an update' };
const included = ({ grpc }: PlanTerms): boolean => grpc;

export class GrpcHost {
  readonly #parts: GrpcHostParts;
  readonly #sessions: DeskOperation;
  readonly #state: DeskOperation;
  readonly #calls = new Map<number, { progress: Progress }>();

  constructor(parts: GrpcHostParts) {
    this.#parts = parts;
    this.#sessions = parts.desk.operation(parts.listSessions);
    this.#state = parts.desk.operation(parts.readState);
  }

  /** Takes a message of the thread. `post` sends to that thread. */
  receive(message: Exclude<FromGrpc, { kind: 'ready' | 'closed' }>, post: (message: ToGrpc) => void): void {
    switch (message.kind) {
      case 'call':
        void this.#serve(message, post);
        return;
      case 'sent':
        eachSent(message.updates, (call, feed, isDemo, updates) => {
          const progress = this.#calls.get(call)?.progress;
          if (progress?.kind === 'streaming') progress.opened.sent(feed, isDemo, updates, message.wallMs);
        });
        return;
      case 'left':
        this.#leave(message.call);
    }
  }

  /** GH2 */
  threadDied(): void {
    for (const call of [...this.#calls.keys()]) this.#leave(call);
  }

  async #serve(message: Call, post: (message: ToGrpc) => void): Promise<void> {
    const { call, wish, authorization, peer, forwardedFor } = message;
    const entry: { progress: Progress } = { progress: { kind: 'asked' } };
    this.#calls.set(call, entry);
    const address = limitGroup(this.#parts.clientAddress.of(peer, forwardedFor));
    const deskCall: DeskCall = { method: `grpc ${wish.method}`, authorization, address, included };
    const answer = (message: ToGrpc): void => {
      if (entry.progress.kind !== 'left') post(message);
    };
    try {
      switch (wish.method) {
        case 'Subscribe':
          return await this.#subscribe(entry, call, wish.request, deskCall, answer);
        case 'Sessions':
          answer({ kind: 'answered', call, answer: await this.#listSessions(deskCall, wish.request) });
          return;
        case 'Snapshot':
          answer({ kind: 'answered', call, answer: await this.#readState(deskCall, wish.request) });
      }
    } catch (error) {
      const { code, message: text, headers } = error instanceof ApiError ? error : new ApiError('internal_error');
      answer({ kind: 'refused', call, refusal: { code, message: text, retryAfterS: headers['retry-after'] ?? null } });
    }
  }

  async #subscribe(
    entry: { progress: Progress },
    call: number,
    request: SubscribeRequest,
    deskCall: DeskCall,
    answer: (message: ToGrpc) => void,
  ): Promise<void> {
    const { desk, streams } = this.#parts;
    const { authorization } = deskCall;
    let first: LaneOrder[] | null = [];
    const front: StreamFront = {
      open(order) {
        if (first !== null) first.push(order);
        else answer({ kind: 'lane', call, order });
      },
      pace: (sessionId, pace, position) => answer({ kind: 'pace', call, sessionId, pace, position }),
      stop: (sessionId) => answer({ kind: 'stop', call, sessionId }),
      end: (code) => answer({ kind: 'end', call, code }),
    };
    const opened = await desk.serve(deskCall, (caller) => {
      refuseViolations('invalid_query', checkSubscribe(request));
      return streams.open({ caller, authorization, request: streamRequest(request) }, front);
    });
    if (opened === null) {
      answer({ kind: 'end', call, code: 'completed' });
      return;
    }
    if (entry.progress.kind === 'left') {
      opened.closed();
      return;
    }
    entry.progress = { kind: 'streaming', opened };
    const { feeds, endless, awaited } = opened;
    opened.begin();
    answer({ kind: 'opened', call, feeds, endless, awaited, lanes: first });
    first = null;
  }

  async #listSessions(deskCall: DeskCall, { limit, offset }: SessionsRequest): Promise<SessionsAnswer> {
    const query = { ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) };
    const { data } = (await this.#sessions(deskCall, {}, query)) as {
      data: { sessions: Record<string, never>[]; total: number };
    };
    const sessions = data.sessions.map((session) => ({
      session_id: session.sessionId!,
      series_id: session.seriesId!,
      name: session.name!,
      type: session.type!,
      circuit_name: session.circuitName!,
      start_time: timestampOf(session.startDate!),
      duration_seconds: session.durationSeconds!,
      update_count: session.updateCount!,
      demo: session.demo!,
      season: session.season!,
      unlocked: session.unlocked!,
      prepared: session.prepared!,
    }));
    return { sessions, total: data.total };
  }

  async #readState(deskCall: DeskCall, request: SnapshotRequest): Promise<SnapshotAnswer> {
    const { session = '', feeds, sequence } = request;
    const query = {
      ...(feeds.length > 0 && { feeds: feeds.join(',') }),
      ...(sequence !== undefined && { sequence }),
    };
    const { data } = (await this.#state(deskCall, { sessionId: session }, query)) as {
      data: {
        sessionId: string;
        seriesId: string;
        live: boolean;
        sequence: number;
        updateCount: number;
        states: { feed: string; sequence: number; utc: string }[];
      };
    };
    const states = data.states.map((state) => ({
      feed: state.feed,
      sequence: state.sequence,
      utc: timestampOf(state.utc),
      json: Buffer.from(JSON.stringify(state)),
    }));
    const { sessionId, seriesId, live, updateCount } = data;
    return {
      session_id: sessionId,
      series_id: seriesId,
      live,
      sequence: data.sequence,
      update_count: updateCount,
      states,
    };
  }

  #leave(call: number): void {
    const entry = this.#calls.get(call);
    if (entry === undefined) return;
    this.#calls.delete(call);
    const { progress } = entry;
    entry.progress = { kind: 'left' };
    if (progress.kind === 'streaming') progress.opened.closed();
  }
}

function streamRequest(request: SubscribeRequest): StreamRequest {
  const { session = null, run = null, feeds, resume_after: after = null, cursor: place = '', speed = null } = request;
  return { session, run, feeds, filters: filtersOf(request), after, place, speed, words: WORDS };
}

/** As of a webhook. */
function filtersOf({ filters }: SubscribeRequest): Record<string, unknown> {
  if (filters === undefined) return {};
  const { drivers, driver_numbers, constructors, event_types, position_min: min, position_max: max } = filters;
  const lists = { drivers, driverNumbers: driver_numbers, constructors, eventTypes: event_types };
  const given: Record<string, unknown> = Object.fromEntries(
    Object.entries(lists).filter(([, list]) => list.length > 0),
  );
  if (min !== undefined || max !== undefined)
    given.positions = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
  return given;
}
