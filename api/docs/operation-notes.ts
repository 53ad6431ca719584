// What the reference says about each operation beyond its schemas: a description, and a request that works as it stands.
// test/api/operation-notes.test.ts fails when an operation has none; test/contract/examples.test.ts sends the requests.
//
// An example cannot know the ids of an account's own things. In their place are those of OWN, which the page to try
// operations fills in (try-page/own-ids.js).

export interface OperationNotes {
  readonly description: string;
  /** Values of parameters, by name. Those that are left out are not needed. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Placeholders: the account's own endpoint, run, entry of the log, delivery, client id and client secret. */
export const OWN = {
  webhookId: 'wh_of_yours',
  runId: 'run_of_yours',
  logId: 'log_of_yours',
  deliveryId: 'evt_of_yours',
  clientId: 'cli_of_yours',
  clientSecret: 'secret_of_yours',
} as const;

const EMAIL = 'you@example.org';
const PASSWORD = 'a long password';
const DEMO = 'demo-race';
const { webhookId, runId, logId } = OWN;

/** By method and path. */
export const OPERATION_NOTES: Readonly<Record<string, OperationNotes>> = {
  'POST /auth/signup': {
    description:
      'Makes an account on the plan Free and mails a link. Nothing works before the address is confirmed with it. The ' +
      'three consents must be true. 502 `email_delivery_failed`: the account exists; ask for another mail instead of ' +
      'signing up again.',
    body: { email: EMAIL, password: PASSWORD, tosAccepted: true, privacyAccepted: true, aupAccepted: true },
  },
  'GET /auth/verify-email': {
    description: 'Says whether a link still works. Uses nothing up, so programs that open links in mails do no harm.',
    parameters: { token: 'the-token-of-your-link' },
  },
  'POST /auth/verify-email': {
    description: 'Confirms the address, once for each link, and sets the session cookie. The link works for 24 hours.',
    body: { token: 'the-token-of-your-link' },
  },
  'POST /auth/resend-verification': {
    description: 'Answers 200 whether there is such an account or not. Links that were mailed before stop working.',
    body: { email: EMAIL },
  },
  'POST /auth/login': {
    description:
      'Sets the session cookie, which is valid for seven days and reads the client credentials. Gives no token.',
    body: { email: EMAIL, password: PASSWORD },
  },
  'POST /auth/logout': { description: 'Ends the session of the cookie. Tokens stay valid.' },
  'POST /oauth/credentials': {
    description: 'Shows the client id and the client secret of the account that is signed in.',
  },
  'POST /oauth': {
    description:
      'Gives a token that is valid for twelve hours. Client id and secret may also be sent as a form or as HTTP Basic, ' +
      'as OAuth 2.0 has it.',
    body: { grant_type: 'client_credentials', client_id: OWN.clientId, client_secret: OWN.clientSecret },
  },
  'POST /console/regenerate-secret': {
    description: 'The old client secret and every token stop working at once. Webhook secrets stay as they are.',
  },
  'POST /webhooks': {
    description:
      'Registers a URL and what is sent to it: exactly one of `feedId`, `feedIds` and `subscriptions`. In `feedIds`, `*` ' +
      'means every feed of the plan and `analytics.*` a group. The answer has the secret that signs every delivery.',
    body: { webhookUrl: 'https://hooks.example.com/in', feedIds: ['session.status', 'race-control.messages'] },
  },
  'GET /webhooks': {
    description: 'Lists the endpoints of the account with their subscriptions and health, the oldest first.',
  },
  'GET /webhooks/{webhookId}': {
    description: 'Shows an endpoint: URL, subscriptions, filters, and how its deliveries have gone of late.',
    parameters: { webhookId },
  },
  'PATCH /webhooks/{webhookId}': {
    description:
      'Changes what is given and leaves the rest. It applies from the next attempt on. Pause with `active` false; what ' +
      'is missed meanwhile is skipped, not kept.',
    parameters: { webhookId },
    body: { description: 'Pit wall' },
  },
  'DELETE /webhooks/{webhookId}': {
    description: 'Removes an endpoint for good. Its log can be read for 90 more days.',
    parameters: { webhookId },
  },
  'PATCH /webhooks/{webhookId}/feeds/{feedId}': {
    description: 'Replaces the filters of one feed, or pauses it. The other feeds of the endpoint stay as they are.',
    parameters: { webhookId, feedId: 'session.status' },
    body: { active: true },
  },
  'GET /webhooks/{webhookId}/secret': {
    description: 'Shows the key of the signatures at any time. Treat it like a password.',
    parameters: { webhookId },
  },
  'POST /webhooks/{webhookId}/rotate-secret': {
    description: 'Makes a new secret, which signs from the next attempt on. The old one signs beside it for 24 hours.',
    parameters: { webhookId },
  },
  'GET /webhooks/{webhookId}/logs': {
    description:
      'Shows every attempt, the latest first. Filters combine. Go on with `nextCursor` until it is null: with filters a ' +
      'page may be short although more follow.',
    parameters: { webhookId },
  },
  'GET /webhooks/{webhookId}/logs/{logId}': {
    description:
      'Shows headers and body as they were sent, made again from the updates of the session, and the answer. `notes` ' +
      'says what could not be made again.',
    parameters: { webhookId, logId },
  },
  'POST /webhooks/{webhookId}/test': {
    description:
      'Sends a real payload of the first feed, in mode `test`, and answers with what became of it. It is not retried. ' +
      'A URL on the machine of the service gets tests where it gets replays.',
    parameters: { webhookId },
  },
  'POST /webhooks/{webhookId}/resend': {
    description:
      'Sends what the endpoint has missed, with the bytes and delivery ids that it had. Name a session, a run or ' +
      'deliveries. The answer has the run that does it.',
    parameters: { webhookId },
    body: { deliveryId: OWN.deliveryId },
  },
  'GET /feeds': {
    description:
      'Lists every feed and the plan that opens it, whatever the plan of the account. Feeds that come from a model have its card.',
  },
  'GET /events': {
    description: 'Shows the calendar of the current season. A session is `live` while it runs, within a second.',
  },
  'GET /sessions/{sessionId}/state': {
    description:
      'Shows what the updates of a session have left behind: one payload for each feed. A receiver that joins late ' +
      'begins with it. Recorded sessions are prepared first.',
    parameters: { sessionId: DEMO, feeds: 'lap.count,track.status' },
  },
  'GET /simulate/sessions': { description: 'Lists recorded sessions. `demo-race` is always there.' },
  'GET /simulate/quota': { description: 'Shows how many different sessions the account has replayed, and may replay.' },
  'POST /simulate/prepare': {
    description: 'Derives the updates of a recorded session, once. Ask for the progress with GET /v1/simulate/status.',
    body: { sessionId: DEMO },
  },
  'GET /simulate/status': {
    description: 'Says how far the preparation is. A replay can start when the status is `ready`.',
    parameters: { session: DEMO },
  },
  'GET /stream': {
    description:
      'Sends updates as server-sent events: of live sessions as they are published, of a recorded session as fast as the ' +
      'client reads or at a multiple of its pace. The data of an event is the body of the webhook. A client that sends ' +
      '`Last-Event-ID` continues exactly there. Each update counts against the month like a delivery.',
    parameters: { session: DEMO, feeds: 'lap.count' },
  },
  'GET /simulate/stream': {
    description:
      'Plays a prepared session: to the caller as server-sent events (`visual`), to all active endpoints (`webhook`), or ' +
      'both in lockstep. With `webhook` the answer comes at once, 202, and has the id of the run.',
    parameters: { session: DEMO, speed: 10, sinks: 'webhook' },
  },
  'DELETE /simulate/stream': {
    description: 'Ends a run. What was delivered stays delivered. 202: it stops within a few seconds.',
    parameters: { runId },
  },
  'POST /simulate/runs': {
    description:
      'Plays a prepared session to the endpoints of the account, and goes on without the caller: what GET ' +
      '/v1/simulate/stream does with `sinks=webhook`. The answer has the id of the run.',
    body: { sessionId: DEMO, speed: 10 },
  },
  'GET /simulate/runs': { description: 'Lists the runs of the account, the latest first.' },
  'GET /simulate/runs/{runId}': {
    description:
      'Shows for each endpoint what matched, was delivered, failed, was skipped and why, and what is pending.',
    parameters: { runId },
  },
  'POST /simulate/runs/{runId}/pause': {
    description:
      'Sends nothing more until it is resumed, retries included. A run that is paused for 24 hours is stopped.',
    parameters: { runId },
  },
  'POST /simulate/runs/{runId}/resume': {
    description: 'Goes on where the run was paused, at the same speed.',
    parameters: { runId },
  },
  'POST /simulate/runs/{runId}/seek': {
    description:
      'Jumps to an update, a lap, a time, or so many seconds into the session. Runs that deliver go forward only.',
    parameters: { runId },
    body: { lap: 6 },
  },
  'GET /live/runs': {
    description:
      'Shows for each live session what matched, was delivered, failed, was skipped and is pending, by endpoint.',
  },
  'GET /preview/upcoming': {
    description: 'Forecasts the next races and sprints: who wins, how likely. Free sees the headline.',
  },
  'GET /preview/{sessionId}': {
    description:
      'Forecasts one race, sprint or qualifying session that the history knows; a past one as of before it was held.',
    parameters: { sessionId: '2018-azerbaijan-race' },
  },
  'GET /fantasy/races/{raceId}/scores': {
    description: 'Estimates the fantasy scores of a race that is over, the highest first.',
    parameters: { raceId: '2018-azerbaijan' },
  },
  'GET /fantasy/session/{sessionId}/scores': {
    description: 'Follows the scores while a race or sprint runs. What the end decides is null until then.',
    parameters: { sessionId: DEMO },
  },
  'GET /fantasy/session/{sessionId}/pit-times': {
    description: 'Ranks the stops of a session by the time in the pit lane.',
    parameters: { sessionId: DEMO },
  },
  'GET /usage': { description: 'Counts the attempts of this calendar month (UTC), and the updates that were skipped.' },
  'GET /usage/by-feed': { description: 'Counts the attempts of this month for each feed.' },
  'GET /usage/latency': {
    description: 'Shows how long updates took from when they were due until your 2xx, retries included.',
  },
  'GET /usage/sla': {
    description:
      'Shows how many updates of live sessions were due in a month, and how many of them were begun within a second. ' +
      'What the service is not to blame for is excluded, and counted by reason. Custom only.',
  },
  'POST /console/billing/checkout': {
    description: 'Answers the address of a payment page. The plan changes once it is paid.',
  },
  'POST /console/billing/portal': {
    description: 'Answers the address of a page on which the subscription is changed or ended.',
  },
};

/** What parameters mean whose schema does not say it, by name. */
export const PARAMETER_DESCRIPTIONS: Readonly<Record<string, string>> = {
  webhookId: 'Id of an endpoint, as in the answer of POST /v1/webhooks.',
  feedId: 'Id of a feed of the endpoint.',
  logId: 'Id of an entry of the delivery log.',
  runId: 'Id of a run, as in the answer that started it.',
  sessionId: 'Id of a session, as in GET /v1/events or GET /v1/simulate/sessions.',
  raceId: 'Id of a race, which is `eventId` of the calendar.',
};
