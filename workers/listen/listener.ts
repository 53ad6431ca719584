// Follows a session and takes each update where it belongs: to the local URL or to standard output. Attempts, or updates,
// are lines of the result; what happens to the stream is told beside them.

import { randomBytes } from 'node:crypto';
import { SlipstreamClient, type StreamState, type Update } from '#api/client/slipstream-client.ts';
import { systemClock } from '#engine/base/clock.ts';
import type { Terminal } from '#workers/admin/command.ts';
import { attemptLine } from './attempt-line.ts';
import { type AttemptReport, type ForwardedRun, Forwarder } from './forwarder.ts';
import { HttpReceiver } from './http-receiver.ts';
import { ListenFailed, listenFailure } from './listen-failure.ts';
import { type Destination, LIVE, type ListenSettings } from './listen-settings.ts';
import { subjectOf } from './session-subject.ts';
import { counted, Tally } from './tally.ts';

const SECRET_BYTES = 32;

/** What takes the updates. */
interface Sink {
  /** Resolves when the next update may come. */
  take(update: Update): Promise<void>;
  /** Starts nothing more. */
  stop(): void;
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>;
  /** What became of the updates. */
  summary(): readonly string[];
}

/**
 * Resolves when the session is over, or when the signal is aborted and what was under way has ended. Rejects with a
 * ListenFailed if the stream cannot go on, or if updates were not delivered.
 */
export async function listen(settings: ListenSettings, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const { baseUrl, session, speed, selection, destination } = settings;
  const client = new SlipstreamClient(settings);
  terminal.progress(`Connecting to ${baseUrl} ...`);
  const tally = new Tally();
  let failure: unknown = null;
  let sink: Sink | null = null;
  try {
    const showProgress = (part: number): void => terminal.progress(`Preparing ${session}: ${Math.round(part * 100)} %`);
    const run = await subjectOf(client, settings, showProgress, signal);
    sink = sinkFor(destination, run, tally, terminal);
    signal.addEventListener('abort', () => sink!.stop());
    const onState = stateTeller(settings, terminal);
    const pace = run === null ? speed : run.speed;
    const updates = client.stream({ ...selection, session, ...(pace !== null && { speed: pace }), signal, onState });
    for await (const update of updates) {
      if (signal.aborted) break;
      tally.came(update);
      await sink.take(update);
    }
  } catch (error) {
    if (!signal.aborted) failure = listenFailure(error, baseUrl);
  }
  await sink?.settled();
  if (sink !== null && (tally.updates > 0 || failure === null)) for (const line of sink.summary()) terminal.say(line);
  if (signal.aborted || failure !== null)
    for (const { sessionId, sequence } of tally.places)
      terminal.say(`To continue there: --session ${sessionId} --after ${sequence}`);
  if (failure !== null) throw failure;
  if (tally.failed > 0 && !signal.aborted)
    throw new ListenFailed(`${counted(tally.failed, 'update was', 'updates were')} not delivered.`);
}

function sinkFor(destination: Destination, run: ForwardedRun, tally: Tally, terminal: Terminal): Sink {
  if (destination.kind === 'print') {
    return {
      take: async ({ body }) => terminal.print(body),
      stop() {},
      settled: async () => {},
      summary: () => [counted(tally.updates, 'update', 'updates')],
    };
  }
  const { url } = destination;
  const secret = destination.secret ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  terminal.say(
    destination.secret === null
      ? `Signed with ${secret} (a new secret each time; SLIPSTREAM_WEBHOOK_SECRET keeps one)`
      : 'Signed with SLIPSTREAM_WEBHOOK_SECRET',
  );
  const receiver = new HttpReceiver(url);
  let isWarned = false;
  const onAttempt = (report: AttemptReport): void => {
    tally.attempted(report);
    terminal.print(attemptLine(report, new Date(), terminal.interactive));
    const { result } = report;
    if (isWarned || result.kind === 'answered' || result.code !== 'connection_refused') return;
    isWarned = true;
    terminal.say(
      `Nothing listens at ${url.href}: start your program. What it misses is tried again after 1, 5 and 30 s.`,
    );
  };
  const onGivenUp = (update: Update): void => tally.givenUp(update);
  const forwarder = new Forwarder({ receiver, secret, run, clock: systemClock, onAttempt, onGivenUp });
  return {
    take: (update) => forwarder.forward(update),
    stop: () => forwarder.stop(),
    async settled() {
      await forwarder.settled();
      receiver.close();
    },
    summary: () => tally.lines,
  };
}

function stateTeller({ session, destination }: ListenSettings, terminal: Terminal): (state: StreamState) => void {
  let wasOpen = false;
  return (state) => {
    if (state.kind === 'interrupted') {
      const seconds = (state.returnsInMs / 1000).toFixed(1);
      terminal.say(`Interrupted: ${state.error.message.replace(/\.$/, '')}. Back in ${seconds} s`);
    } else if (wasOpen) {
      terminal.say('Connected again');
    } else {
      wasOpen = true;
      const to = destination.kind === 'print' ? '' : ` to ${destination.url.href}`;
      const from = session === LIVE ? 'whatever is live' : session;
      terminal.say(`Listening: ${counted(state.feeds.length, 'feed', 'feeds')} of ${from}${to}. Ctrl-C ends`);
    }
  };
}
