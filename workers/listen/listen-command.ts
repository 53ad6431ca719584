// `listen`: brings updates to a program on this machine, without an endpoint and without a public URL.

import type { Command } from '#workers/admin/command.ts';
import { untilAsked } from './end-of-listening.ts';
import { readListenSettings } from './listen-settings.ts';
import { listen } from './listener.ts';

/** `typed`: how the command is typed, before its arguments. */
const help = (
  typed: string,
): string => `Brings updates to a program on your machine as deliveries would come: same headers, both signatures, deadline and
retries. It needs no endpoint and no public URL, and works behind any router: it opens a stream (GET /v1/stream) and sends
each update on. Each update counts as one delivery of the month, however often it is sent on.

Usage: ${typed} (--forward-to URL | --print) [options]

  --forward-to URL   Where your program listens, http or https
  --print            Prints each update as a line of JSON instead, the bytes of the body

  --session NAME     live: whatever is live now and later (the default). Or the id of a session, live or recorded: a recorded
                     one is replayed. demo-race is built in and takes nothing of the month
  --speed N          Of a recorded session: 0.1 to 10 times its own pace (1)
  --after N          Begin after the update with this sequence; 0: with the first

  --feeds LIST       Feed ids, * and groups such as timing.* (all that your plan has)
  --events LIST      Types of race events, such as overtake. Without --feeds: these and nothing else
  --drivers LIST     Three-letter codes. --driver-numbers and --constructors choose by number and team
  --position-min N, --position-max N   Only drivers in these positions

  --url URL          The address of the service (SLIPSTREAM_URL, or http://localhost:8080)
  --client-id ID     Your client id (SLIPSTREAM_CLIENT_ID)

From the environment only:
  SLIPSTREAM_CLIENT_SECRET    Your client secret
  SLIPSTREAM_WEBHOOK_SECRET   whsec_..., to sign with. Without it a new one is made and printed

Lists are joined by commas. Each attempt is a line: time, feed, sequence, attempt, answer, latency. After a disconnect the
stream resumes by itself where it was. Ctrl-C ends: attempts under way end first; press again to end at once.

Exit codes: 0 the session is over and everything was delivered, or Ctrl-C; 1 the stream could not go on, or updates were
not delivered; 2 the command line is invalid; 130 Ctrl-C twice.

Examples:
  ${typed} --forward-to http://localhost:3000/hook
  ${typed} --forward-to http://localhost:3000/hook --session demo-race --speed 10
  ${typed} --print --session demo-race --speed 10 --events overtake --drivers VER,HAM`;

export function listenCommand(typed: string): Command {
  return {
    words: 'listen',
    summary: 'Bring updates to a program on this machine',
    help: help(typed),

    async run(args, terminal) {
      const settings = readListenSettings(args, terminal.env);
      await untilAsked((signal) => listen(settings, terminal, signal));
    },
  };
}
