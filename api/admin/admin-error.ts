// A refusal of the admin listener, in the form of every other error body.

export class AdminError extends Error {
  override readonly name = 'AdminError';
  readonly statusCode: number;
  readonly code: string;

  constructor(statusCode: number, code: string, message: string) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
  }
}

/** What everybody is told whom a failure of the service keeps from an answer. */
export function unavailable(): AdminError {
  return new AdminError(503, 'unavailable', 'The service cannot take this now: send it again in a moment.');
}
