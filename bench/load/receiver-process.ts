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
}

export interface Receiver {
  readonly origin: string;
  expect(secrets: readonly string[], updates: number): Promise<void>;
  report(): Promise<ReceiverReport>;
  end(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('./receiver.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const ask = async (message: ToReceiver): Promise<ReceiverReport> => {
    child.send(message);
    const [answer] = (await once(child, 'message')) as [ReceiverReport];
    return answer;
  };
  return {
    origin: `http://127.0.0.1:${port}`,
    async expect(secrets, updates) {
      await ask({ kind: 'expect', secrets, updates });
    },
    report: () => ask({ kind: 'report' }),
    async end() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
