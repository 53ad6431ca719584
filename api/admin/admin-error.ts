// An error of the admin listener. Its body has the same shape as the API's.

export class AdminError extends Error {
  override readonly name = 'AdminError';
  readonly statusCode: number;
  readonly code: string;
  readonly headers: readonly string[];

  constructor(statusCode: number, code: string, message: string, headers: readonly string[] = []) {
    super(message);
    this.statusCode = statusCode;
    this.code = code;
    this.headers = headers;
  }
}

/** The error for a request that fails because of the service itself. */
export function unavailable(): AdminError {
  return new AdminError(503, 'unavailable', 'The service is temporarily unavailable: try again in a moment.');
}
