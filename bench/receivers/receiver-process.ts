// Starts a receiver (receiver.ts) in its own process, and controls it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { originAt, type Scheme } from './arrival-receiver-process.ts';

export type ToReceiver =
  /** Expect sequences 1 to `updates` at these endpoints from now on. Secrets are by endpoint index. */
  | { readonly kind: 'expect'; readonly secrets: readonly string[]; readonly updates: number }
  | { readonly kind: 'report' };

export interface ReceiverReport {
  readonly kind: 'report';
  /** Opened since `expect`. */
  readonly connections: number;
  readonly requests: number;
  readonly distinct: number;
  readonly doubled: number;
  readonly misordered: number;
  readonly wronglySigned: number;
  /** CPU of the receiver since `expect`, microseconds. */
  readonly cpuUs: number;
  /** About every 100 ms: seconds since `expect`, and requests so far. At most 1,800 points. */
  readonly arrivals: readonly (readonly [seconds: number, requests: number])[];
}

export interface Receiver {
  readonly origin: string;
  expect(secrets: readonly string[], updates: number): Promise<void>;
  report(): Promise<ReceiverReport>;
  end(): Promise<void>;
}

export async function startReceiver(scheme: Scheme = 'http'): Promise<Receiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url), [scheme], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const died = once(child, 'exit').then(() => Promise.reject(new Error('the receiver exited unexpectedly')));
  died.catch(() => {});
  const nextMessage = async <Message>(): Promise<Message> => {
    const [message] = await Promise.race([once(child, 'message'), died]);
    return message as Message;
  };
  const { port } = await nextMessage<{ port: number }>();
  const ask = (message: ToReceiver): Promise<ReceiverReport> => {
    const report = nextMessage<ReceiverReport>();
    child.send(message);
    return report;
  };
  return {
    origin: originAt(scheme, port),
    async expect(secrets, updates) {
      await ask({ kind: 'expect', secrets, updates });
    },
    report: () => ask({ kind: 'report' }),
    async end() {
      if (!child.connected) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
