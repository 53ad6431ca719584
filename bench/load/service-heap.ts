// The live heap of a service process: what a forced collection leaves, over its threads. It is read through
// Node's inspector, so the service is the one that customers run. Threads for tasks are left out: without a task they
// sleep, and answer nothing.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** What an evaluation in a thread returns. */
interface Evaluated {
  readonly result: { readonly value: number };
}

interface InspectorMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly message?: string;
    readonly workerInfo?: { readonly url: string };
  };
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

const TASK_THREADS = '/node_modules/piscina/';
const ANSWER_MS_MAX = 20_000;
/** What a collection frees may hold on to something that only the next one frees. */
const COLLECTIONS = 2;
/** Memory outside of the heap counts, too, because objects of the heap hold it. */
const HELD = '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())';

export class ServiceHeap {
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  /** Chooses a free port for the inspector. */
  static async prepare(): Promise<ServiceHeap> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return new ServiceHeap(port);
  }

  /** Environment variables that the service must be started with. */
  get settings(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--inspect=127.0.0.1:${this.#port} --inspect-publish-uid=http` };
  }

  /** Collects the garbage of every thread but those for tasks. Returns what they still hold, in MiB. */
  async collected(): Promise<number> {
    const listed = await fetch(`http://127.0.0.1:${this.#port}/json/list`);
    const [main] = (await listed.json()) as [{ readonly webSocketDebuggerUrl: string }];
    const inspector = await Inspector.connect(main.webSocketDebuggerUrl);
    try {
      let bytes = 0;
      for (const thread of [null, ...(await inspector.workers())]) {
        for (let i = 0; i < COLLECTIONS; i++) await inspector.ask(thread, 'HeapProfiler.collectGarbage');
        const params = { expression: HELD, returnByValue: true };
        const { result } = (await inspector.ask(thread, 'Runtime.evaluate', params)) as Evaluated;
        bytes += result.value;
      }
      return bytes / 2 ** 20;
    } finally {
      inspector.close();
    }
  }
}

/** A connection to the inspector of a process, and through it to those of its worker threads. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #workers: string[] = [];
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  #id = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#received(JSON.parse(String(data)) as InspectorMessage));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#asked.values()) reject(new Error('the inspector closed its connection'));
    });
  }

  static async connect(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await once(socket as unknown as EventTarget, 'open');
    return new Inspector(socket);
  }

  /** The sessions of the worker threads. They are announced before the answer. */
  async workers(): Promise<readonly string[]> {
    await this.ask(null, 'NodeWorker.enable', { waitForDebuggerOnStart: false });
    return this.#workers;
  }

  /** `thread`: the session of a worker; null for the main thread. */
  async ask(thread: string | null, method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#id;
    const asked = Promise.withResolvers<unknown>();
    this.#asked.set(id, asked);
    const message = JSON.stringify({ id, method, params });
    if (thread === null) this.#socket.send(message);
    else {
      const relay = { method: 'NodeWorker.sendMessageToWorker', params: { sessionId: thread, message } };
      this.#socket.send(JSON.stringify({ id: ++this.#id, ...relay }));
    }
    const late = setTimeout(() => asked.reject(new Error(`no answer to ${method}`)), ANSWER_MS_MAX);
    try {
      return await asked.promise;
    } finally {
      clearTimeout(late);
      this.#asked.delete(id);
    }
  }

  close(): void {
    this.#socket.close();
  }

  #attached({ sessionId, workerInfo }: NonNullable<InspectorMessage['params']>): void {
    if (!workerInfo!.url.includes(TASK_THREADS)) this.#workers.push(sessionId!);
  }

  #received({ id, method, params, result, error }: InspectorMessage): void {
    if (method === 'NodeWorker.attachedToWorker') this.#attached(params!);
    else if (method === 'NodeWorker.receivedMessageFromWorker')
      this.#received(JSON.parse(params!.message!) as InspectorMessage);
    else if (id !== undefined && error !== undefined) this.#asked.get(id)?.reject(new Error(error.message));
    else if (id !== undefined) this.#asked.get(id)?.resolve(result);
  }
}
