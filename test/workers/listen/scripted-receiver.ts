// A forwarder under a clock that the test moves, with a receiver that answers as the test says, and updates for it.

import type { Update } from '#api/client/slipstream-client.ts';
import { type AttemptResult, failed } from '#engine/delivery/attempt-result.ts';
import { headerLines } from '#test/support/header-lines.ts';
import { newSecret } from '#test/support/signed-deliveries.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { type AttemptReport, type ForwardedRun, Forwarder } from '#workers/listen/forwarder.ts';

export const REFUSED = failed('connection_refused', 'ECONNREFUSED');

export interface ScriptedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly sequence: number;
  readonly attempt: number;
  readonly atMs: number;
  isAbandoned: boolean;
  answer(result: AttemptResult | number): void;
}

export function scriptedForwarder(run: ForwardedRun = null, name = 'http://localhost:3000/hook') {
  const time = new SimulatedTime();
  const requests: ScriptedRequest[] = [];
  const reports: AttemptReport[] = [];
  const givenUp: number[] = [];
  const secret = newSecret();
  const forwarder = new Forwarder({
    receiver: {
      name,
      send(lines, body, ended) {
        const headers = Object.fromEntries(headerLines(lines));
        const request: ScriptedRequest = {
          headers,
          sequence: JSON.parse(Buffer.from(body).toString()).sequence,
          attempt: Number(headers['X-Service-Attempt']),
          atMs: time.nowMs(),
          isAbandoned: false,
          answer: (result) =>
            ended(typeof result === 'number' ? { kind: 'answered', statusCode: result, body: '' } : result),
        };
        requests.push(request);
        return {
          abandon() {
            request.isAbandoned = true;
          },
        };
      },
    },
    secret,
    run,
    clock: time,
    onAttempt: (report) => reports.push(report),
    onGivenUp: ({ sequence }) => givenUp.push(sequence),
  });
  return { forwarder, time, requests, reports, givenUp, secret };
}

export function update(sequence: number, sessionId = 'demo-race'): Update {
  const payload = { feed: 'lap.count', seriesId: 'f1', sessionId, sequence, utc: '', data: {} };
  return {
    id: `${sessionId}:${sequence}`,
    sessionId,
    sequence,
    feed: 'lap.count',
    payload,
    body: JSON.stringify(payload),
  } as unknown as Update;
}
