// A local SignalR Core server that behaves like live timing. It negotiates and checks the load balancer's cookie,
// answers Subscribe with the present state, plays frames, and fails in every way that a test requests.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { isContainer, type Json, type JsonObject } from '#engine/base/json-value.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { merge } from '#engine/racing/session/merge.ts';

const RECORD_END = '\x1e';
const PATH = '/signalrcore';
/** The server waits for clients with more unread bytes. */
const UNREAD_BYTES_MAX = 1024 * 1024;
const KEPT_RECORDS = 100;

export interface SignalrServerOptions {
  readonly initial?: JsonObject;
  /** Topics that only clients with the token get. */
  readonly gated?: readonly string[];
  readonly token?: string;
}

/** Delays the result of the next Subscribe until the client has been sent so many messages. */
export interface LateAnswer {
  readonly afterMessages: number;
  /**
   * When the state was taken: `before` the messages, `after` them, or `ahead`. `ahead` contains all messages, but the
   * client gets the second half of them only after the result.
   */
  readonly state: 'before' | 'after' | 'ahead';
}

/** The step at which the server stops responding, without closing anything. */
export type Hang = 'negotiation' | 'body' | 'upgrade' | 'handshake' | 'subscribe';

export interface SeenRequest {
  readonly kind: 'negotiation' | 'socket';
  readonly cookie: string | null;
  readonly authorization: string | null;
  readonly userAgent: string | null;
}

export interface Play {
  /** 1 is the pace of the recording. Without it, frames are sent as fast as the client reads. */
  readonly speed?: number;
  /** Number of messages in one text. */
  readonly together?: number;
  /** Actions before the frame at an index. With a speed, time continues meanwhile. */
  readonly plan?: ReadonlyMap<number, () => unknown>;
}

interface Client {
  readonly socket: WebSocket;
  readonly raw: Socket;
  readonly hasToken: boolean;
  topics: ReadonlySet<string>;
  late: { readonly answer: LateAnswer; readonly id: string; state: string | null; messages: number } | null;
  readonly held: string[];
}

export class SignalrServer {
  readonly requests: SeenRequest[] = [];
  /** Number of Subscribe calls so far. */
  subscriptions = 0;
  /** The status of negotiations; any but 200 refuses them. */
  status = 200;
  /** The body of a refused negotiation. */
  refusal = 'busy';
  hang: Hang | null = null;
  /** The response to the handshake. */
  handshake = `{}${RECORD_END}`;
  /** Text sent to a new WebSocket before the handshake, which is then closed. */
  greeting: string | null = null;
  /** No messages or pings are sent, but the state still changes. */
  isSilent = false;
  lateAnswer: LateAnswer | null = null;
  readonly #options: SignalrServerOptions;
  readonly #http: Server;
  readonly #webSockets = new WebSocketServer({ noServer: true });
  readonly #state = new Map<string, Json>();
  readonly #clients = new Set<Client>();
  readonly #sockets = new Set<Socket>();
  readonly #cookies = new Map<string, string>();
  #sent: { readonly topic: string; readonly record: string }[] = [];

  private constructor(options: SignalrServerOptions) {
    this.#options = options;
    for (const [topic, state] of Object.entries(options.initial ?? {})) this.#merge(topic, state!);
    this.#http = createServer((request, response) => this.#negotiate(request, response));
    this.#http.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => {});
    });
    this.#http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket as Socket, head));
  }

  static async start(
    scope: { after(end: () => unknown): void },
    options: SignalrServerOptions = {},
  ): Promise<SignalrServer> {
    const server = new SignalrServer(options);
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    scope.after(() => {
      server.#http.close();
      for (const socket of server.#sockets) socket.destroy();
    });
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}${PATH}`;
  }

  /** Number of connected clients that have subscribed. */
  get clients(): number {
    return this.#clients.size;
  }

  /** The complete state, without marks, which clients should end up with. */
  state(): Record<string, Json> {
    return structuredClone(Object.fromEntries(this.#state));
  }

  /** Merges the frames into the state and sends them in one text. */
  publish(...frames: readonly Frame[]): void {
    const records = frames.map(({ topic, json, utcMs }) => {
      this.#merge(topic, JSON.parse(json) as Json);
      return { topic, record: feedRecord(topic, json, utcText(utcMs)) };
    });
    this.#sent = [...this.#sent, ...records].slice(-KEPT_RECORDS);
    this.#deliver(records);
  }

  async play(frames: readonly Frame[], { speed, together = 1, plan }: Play = {}): Promise<void> {
    const beganMs = performance.now();
    for (let index = 0; index < frames.length; ) {
      const some: Frame[] = [];
      const dueMs = speed === undefined ? 0 : beganMs + (frames[index]!.utcMs - frames[0]!.utcMs) / speed;
      const leftMs = dueMs - performance.now();
      if (leftMs > 0) await setTimeout(leftMs);
      do {
        await plan?.get(index)?.();
        some.push(frames[index++]!);
      } while (some.length < together && index < frames.length && !plan?.has(index));
      this.publish(...some);
      if (speed === undefined) await this.#untilRead();
    }
  }

  ping(): void {
    this.sendText(`{"type":6}${RECORD_END}`);
  }

  /** Sends the latest messages once more. */
  repeatLast(count: number): void {
    this.#deliver(this.#sent.slice(-count));
  }

  sendText(text: string): void {
    if (this.isSilent) return;
    for (const { socket } of this.#clients) socket.send(text);
  }

  /** Sends only the beginning of a WebSocket frame of this length. The connection stays open. */
  sendFrameHead(bytes: number): void {
    const head = Buffer.alloc(10);
    head.writeUInt8(0x81, 0);
    head.writeUInt8(127, 1);
    head.writeBigUInt64BE(BigInt(bytes), 2);
    for (const { raw } of this.#clients) raw.write(Buffer.concat([head, Buffer.from('{"type":1,"target":"fe')]));
  }

  closeSockets(code = 1000): void {
    for (const { socket } of this.#clients) socket.close(code);
    this.#clients.clear();
  }

  /** Sends the close message of SignalR, then that of the WebSocket. */
  sayGoodbye(error?: string): void {
    this.sendText(JSON.stringify({ type: 7, ...(error !== undefined && { error }) }) + RECORD_END);
    this.closeSockets();
  }

  /** Stops reading, even a close frame. */
  stopReading(): void {
    for (const { raw } of this.#clients) raw.removeAllListeners('data').pause();
  }

  destroySockets(): void {
    for (const { raw } of this.#clients) raw.destroy();
    this.#clients.clear();
  }

  /** Ends the connection in the middle of a WebSocket frame. */
  cutFrame(): void {
    this.sendFrameHead(1_000);
    for (const { raw } of this.#clients) raw.end();
    this.#clients.clear();
  }

  /** Sends half a record as a complete text. */
  cutRecord(): void {
    this.sendText('{"type":1,"target":"feed","arguments":["TimingData",{"Lines":{"81":{"Sec');
  }

  #negotiate(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(seen('negotiation', request));
    if (this.hang === 'negotiation') return;
    const { authorization } = request.headers;
    const isRefused = authorization !== undefined && authorization !== `Bearer ${this.#options.token}`;
    const status = isRefused ? 401 : this.status;
    if (request.method !== 'POST' || !request.url?.startsWith(`${PATH}/negotiate?negotiateVersion=1`)) {
      response.writeHead(404).end();
    } else if (status !== 200) {
      response.writeHead(status).end(this.refusal);
    } else {
      const id = `connection-${this.#cookies.size + 1}`;
      const cookie = `sticky-${Math.random().toString(36).slice(2)}`;
      this.#cookies.set(id, cookie);
      response.writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': [`AWSALB=${cookie}; Path=/`, `AWSALBCORS=${cookie}; Path=/; SameSite=None; Secure`],
      });
      const transports = [{ transport: 'WebSockets', transferFormats: ['Text', 'Binary'] }];
      const body = { negotiateVersion: 1, connectionId: id, connectionToken: id, availableTransports: transports };
      if (this.hang === 'body') response.write('{');
      else response.end(JSON.stringify(body));
    }
  }

  #upgrade(request: IncomingMessage, raw: Socket, head: Buffer): void {
    this.requests.push(seen('socket', request));
    if (this.hang === 'upgrade') return;
    const cookie = this.#cookies.get(new URL(request.url!, this.url).searchParams.get('id') ?? '');
    if (cookie === undefined || !request.headers.cookie?.split('; ').includes(`AWSALBCORS=${cookie}`)) {
      raw.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      return;
    }
    const { token } = this.#options;
    const hasToken = token !== undefined && request.headers.authorization === `Bearer ${token}`;
    this.#webSockets.handleUpgrade(request, raw, head, (socket) => {
      if (this.greeting !== null) {
        if (this.greeting !== '') socket.send(this.greeting);
        socket.close();
      }
      const client: Client = { socket, raw, hasToken, topics: new Set(), late: null, held: [] };
      socket.on('error', () => {});
      socket.on('close', () => this.#clients.delete(client));
      socket.on('message', (data) => this.#receive(client, data.toString()));
    });
  }

  #receive(client: Client, text: string): void {
    for (const record of text.split(RECORD_END).slice(0, -1)) {
      const message = JSON.parse(record) as Record<string, unknown>;
      if (message.protocol !== undefined) {
        if (this.hang !== 'handshake') client.socket.send(this.handshake);
      } else if (message.target === 'Subscribe') {
        const [topics] = message.arguments as [string[]];
        this.#subscribe(client, new Set(topics), message.invocationId as string);
      }
    }
  }

  #subscribe(client: Client, topics: ReadonlySet<string>, id: string): void {
    this.subscriptions++;
    const { gated = [] } = this.#options;
    client.topics = new Set([...topics].filter((topic) => client.hasToken || !gated.includes(topic)));
    this.#clients.add(client);
    if (this.hang === 'subscribe') return;
    const answer = this.lateAnswer;
    this.lateAnswer = null;
    if (answer === null) client.socket.send(this.#completion(client, id));
    else
      client.late = { answer, id, messages: 0, state: answer.state === 'before' ? this.#completion(client, id) : null };
  }

  #deliver(records: readonly { readonly topic: string; readonly record: string }[]): void {
    for (const client of this.#clients) {
      const own = records.filter(({ topic }) => client.topics.has(topic)).map(({ record }) => record + RECORD_END);
      if (this.isSilent || own.length === 0) continue;
      const { late } = client;
      if (late === null) client.socket.send(own.join(''));
      else for (const record of own) this.#deliverLate(client, late, record);
    }
  }

  #deliverLate(client: Client, late: NonNullable<Client['late']>, record: string): void {
    const { afterMessages, state } = late.answer;
    if (client.late === null) {
      client.socket.send(record);
      return;
    }
    if (state === 'ahead' && late.messages >= afterMessages / 2) client.held.push(record);
    else client.socket.send(record);
    late.messages++;
    if (late.messages < afterMessages) return;
    client.late = null;
    // In one text, so that the held messages follow the result at once.
    client.socket.send((late.state ?? this.#completion(client, late.id)) + client.held.splice(0).join(''));
  }

  #completion(client: Client, invocationId: string): string {
    const known = [...this.#state].filter(([topic]) => client.topics.has(topic));
    const result = Object.fromEntries(known.map(([topic, state]) => [topic, marked(state)]));
    return JSON.stringify({ type: 3, invocationId, result }) + RECORD_END;
  }

  #merge(topic: string, message: Json): void {
    this.#state.set(topic, merge(this.#state.get(topic), message).state);
  }

  async #untilRead(): Promise<void> {
    do await setImmediate();
    while ([...this.#clients].some(({ socket }) => socket.bufferedAmount > UNREAD_BYTES_MAX));
  }
}

export function feedRecord(topic: string, json: string, utc: string): string {
  return `{"type":1,"target":"feed","arguments":[${JSON.stringify(topic)},${json},${JSON.stringify(utc)}]}`;
}

/** As the upstream writes it: with seven decimals if the milliseconds have a fraction. */
function utcText(utcMs: number): string {
  const wholeMs = Math.floor(utcMs);
  const rest = Math.round((utcMs - wholeMs) * 10_000);
  const decimals = rest === 0 ? '' : String(rest).padStart(4, '0');
  return `${new Date(wholeMs).toISOString().slice(0, -1)}${decimals}Z`;
}

function marked(state: Json): Json {
  return isContainer(state) && !Array.isArray(state) ? { ...(state as JsonObject), _kf: true } : state;
}

function seen(kind: SeenRequest['kind'], { headers }: IncomingMessage): SeenRequest {
  return {
    kind,
    cookie: headers.cookie ?? null,
    authorization: headers.authorization ?? null,
    userAgent: headers['user-agent'] ?? null,
  };
}
