// All refusals of the API in one table: the code for programs, the status, and the default text for people.

export const REFUSALS = {
  invalid_json: [400, 'The body is not valid JSON.'],
  invalid_body: [400, 'The body is not valid.'],
  invalid_query: [400, 'The query is not valid.'],
  invalid_filters: [400, 'The filters are not valid.'],
  invalid_token: [400, 'The link is no longer valid: request a new one with POST /v1/auth/resend-verification.'],
  invalid_signature: [400, 'The signature of this event is not valid.'],
  unsupported_grant_type: [400, 'grant_type must be client_credentials.'],
  unauthorized: [401, 'A valid bearer token is required: get one from POST /v1/oauth.'],
  not_signed_in: [401, 'A valid session cookie is required: sign in with POST /v1/auth/login.'],
  invalid_client: [401, 'The client id or the client secret is wrong.'],
  invalid_credentials: [401, 'The email address or the password is wrong.'],
  plan_limit_reached: [402, 'This account has reached a limit of its plan.'],
  tier_required: [402, 'This needs a higher plan.'],
  email_not_verified: [403, 'Email must be verified before signing in: open the link in the email.'],
  cross_site: [403, 'A page from another site may not do this: its origin is not one that this service lets in.'],
  insufficient_tier: [403, 'The plan of this account does not include this.'],
  out_of_season: [403, 'This plan replays only sessions of the current season.'],
  not_found: [404, 'This does not exist or belongs to another account.'],
  not_available: [404, 'This is not available.'],
  method_not_allowed: [405, 'This path does not support the method.'],
  request_timeout: [408, 'The request did not arrive in time.'],
  replay_running: [
    409,
    'A replay of this account is already running: GET /v1/simulate/runs shows it, DELETE /v1/simulate/stream stops it.',
  ],
  not_running: [409, 'This run has ended: start another one with GET /v1/simulate/stream.'],
  not_paused: [409, 'This run is not paused.'],
  not_a_replay: [
    409,
    'A resend cannot be paused or moved: DELETE /v1/simulate/stream stops it, and another resend sends what is left.',
  ],
  seek_back: [
    409,
    'A replay that delivers goes forward only: stop it with DELETE /v1/simulate/stream and start another one there.',
  ],
  not_prepared: [409, 'The session is not prepared: send POST /v1/simulate/prepare first.'],
  no_active_endpoint: [
    409,
    'No active endpoint of this account would get this replay: create one with POST /v1/webhooks, activate one with ' +
      'PATCH /v1/webhooks/{webhookId}, or watch the replay with sinks=visual.',
  ],
  preparing: [409, 'The session is still being prepared: poll GET /v1/simulate/status until it is ready.'],
  resend_running: [
    409,
    'A resend to this endpoint is running: GET /v1/simulate/runs shows it, DELETE /v1/simulate/stream stops it.',
  ],
  nothing_to_resend: [409, 'No update that matches the present subscriptions and filters is left to send again.'],
  endpoint_inactive: [409, 'The endpoint is paused: activate it with PATCH /v1/webhooks/{webhookId} first.'],
  updates_gone: [
    409,
    'These updates no longer exist: their session was imported anew, or another version of the service derives others ' +
      'from its recording. A replay of the session sends those.',
  ],
  already_subscribed: [409, 'This account already has a paid plan, or has just paid for one.'],
  no_subscription: [409, 'This account has no subscription: start one with POST /v1/console/billing/checkout.'],
  body_too_large: [413, 'The body is larger than 64 KiB.'],
  rate_limit_exceeded: [429, 'Too many requests: try again later.'],
  simulate_quota_reached: [429, 'This account has used all simulate sessions of its plan.'],
  stream_limit_reached: [429, 'This account has as many streams open as its plan allows: close one first.'],
  internal_error: [500, 'Something went wrong on our side.'],
  email_delivery_failed: [
    502,
    'The account exists, but its email could not be sent: request another with POST /v1/auth/resend-verification.',
  ],
  billing_failed: [502, 'The payment provider did not respond as expected: try again shortly.'],
  billing_not_configured: [503, 'Payments are not configured on this service.'],
  unavailable: [503, 'The service is temporarily unavailable: try again shortly.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type RefusalCode = keyof typeof REFUSALS;

export interface ErrorBody {
  readonly error: string;
  readonly code: RefusalCode;
  readonly statusCode: number;
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: RefusalCode;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message?: string, headers: Readonly<Record<string, string>> = {}) {
    // A refusal is a response, not a fault of the code. Collecting its stack would take a tenth of the time to send it.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message ?? REFUSALS[code][1]);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.statusCode = REFUSALS[code][0];
    this.headers = headers;
  }

  get body(): ErrorBody {
    return { error: this.message, code: this.code, statusCode: this.statusCode };
  }
}
