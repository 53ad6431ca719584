// Starts a receiver in a process of its own and talks to it.

import { fork } from 'node:child_process';
import { once } from 'node:events';

export type ToReceiver =
  /** From now on expect these endpoints (by index) and sequences 1 to `updates`. */
  | { readonly kind: 'expect'; readonly secrets: readonly string[]; readonly updates: number }
  | { readonly kind: 'report' };

export interface ReceiverReport {
  readonly kind: 'report';
  readonly requests: number;
  readonly distinct: number;
  readonly doubled: number;
  readonly misordered: number;
  readonly wronglySigned: number;
  /** CPU of the receiver since it was told what to expect, microseconds. */
  readonly cpuUs: number;
  /** About every 100 ms: seconds since it was told what to expect, and how many requests had come. A bounded number. */
  readonly arrivals: readonly (readonly [seconds: number, requests: number])[];
}

export interface Receiver {
  readonly origin: string;
  expect(secrets: readonly string[], updates: number): Promise<void>;
  report(): Promise<ReceiverReport>;
  end(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const died = once(child, 'exit').then(() => Promise.reject(new Error('the receiver ended by itself')));
  died.catch(() => {});
  const heard = async <Message>(): Promise<Message> => {
    const [message] = await Promise.race([once(child, 'message'), died]);
    return message as Message;
  };
  const { port } = await heard<{ port: number }>();
  const ask = (message: ToReceiver): Promise<ReceiverReport> => {
    const answer = heard<ReceiverReport>();
    child.send(message);
    return answer;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
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
