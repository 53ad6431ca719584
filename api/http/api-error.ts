// What the API refuses, from one table: the code that machines read, its status, and the text when nothing better is known.

export const REFUSALS = {
  invalid_json: [400, 'The body is not valid JSON.'],
  invalid_body: [400, 'The body is not valid.'],
  invalid_query: [400, 'The query is not valid.'],
  invalid_filters: [400, 'The filters are not valid.'],
  invalid_token: [400, 'The link is not valid any more: ask for a fresh one with POST /v1/auth/resend-verification.'],
  invalid_signature: [400, 'The signature of this event is not valid.'],
  unsupported_grant_type: [400, 'grant_type must be client_credentials.'],
  unauthorized: [401, 'A valid bearer token is required: get one from POST /v1/oauth.'],
  not_signed_in: [401, 'A valid session cookie is required: sign in with POST /v1/auth/login.'],
  invalid_client: [401, 'The client id or the client secret is wrong.'],
  invalid_credentials: [401, 'The email address or the password is wrong.'],
  plan_limit_reached: [402, 'The plan of this account has no room for this.'],
  tier_required: [402, 'This needs a higher plan.'],
  email_not_verified: [403, 'Email must be verified before signing in: open the link in the mail.'],
  cross_site: [
    403,
    'A page of another site may not do this: its origin is neither that of PUBLIC_URL nor one of CORS_ORIGINS.',
  ],
  insufficient_tier: [403, 'The plan of this account does not include this.'],
  out_of_season: [403, 'This plan replays sessions of the current season only.'],
  not_found: [404, 'This does not exist or belongs to another account.'],
  not_available: [404, 'This is not available.'],
  method_not_allowed: [405, 'This path does not know the method.'],
  request_timeout: [408, 'The request did not arrive in time.'],
  replay_running: [
    409,
    'A replay of this account is already running: GET /v1/simulate/runs shows it, DELETE /v1/simulate/stream stops it.',
  ],
  not_prepared: [409, 'The session is not prepared: send POST /v1/simulate/prepare first.'],
  preparing: [409, 'The session is still being prepared: ask GET /v1/simulate/status until it is ready.'],
  already_subscribed: [409, 'This account has a paid plan already.'],
  no_subscription: [409, 'Nothing has been paid for this account: start with POST /v1/console/billing/checkout.'],
  body_too_large: [413, 'The body is larger than 64 KiB.'],
  rate_limit_exceeded: [429, 'Too many requests: try again later.'],
  simulate_quota_reached: [429, 'All simulate sessions of this plan are used.'],
  internal_error: [500, 'Something went wrong on our side.'],
  email_delivery_failed: [
    502,
    'The account exists, but the mail to it could not be sent: ask for another with POST /v1/auth/resend-verification.',
  ],
  billing_failed: [502, 'The payment provider did not answer as expected: try again shortly.'],
  billing_not_configured: [503, 'Payments are not configured on this service.'],
  unavailable: [503, 'The service cannot answer at the moment: try again shortly.'],
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
    super(message ?? REFUSALS[code][1]);
    this.code = code;
    this.statusCode = REFUSALS[code][0];
    this.headers = headers;
  }

  get body(): ErrorBody {
    return { error: this.message, code: this.code, statusCode: this.statusCode };
  }
}
