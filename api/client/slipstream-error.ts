// The one error of the client. It carries what the service said about the failure and nothing of the request: no token, no
// secret, no body.

export interface Failure {
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  /**
   * The service's own code, such as `not_found`. The client's own are `no_answer`, `timeout` and `invalid_answer`; those of
   * `verify` are `invalid_delivery`, `wrong_time` and `wrong_signature`.
   */
  readonly code: string;
  readonly message: string;
  /** Id of the request in the service's log; null if there was no answer. */
  readonly requestId?: string | null;
  /** When the service asks to come back; null if it does not say. */
  readonly retryAfterS?: number | null;
}

export class SlipstreamError extends Error {
  override readonly name = 'SlipstreamError';
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  /** For programs: a code of the service, or one of the client's own. */
  readonly code: string;
  /** Id of the request in the service's log; null if there was no answer. */
  readonly requestId: string | null;
  /** Seconds after which the service asks to come back; null if it does not say. */
  readonly retryAfterS: number | null;

  constructor({ status, code, message, requestId = null, retryAfterS = null }: Failure) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterS = retryAfterS;
  }
}
