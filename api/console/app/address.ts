// Addresses of the console and of the service, which an operator may serve below a path of their own.

/** The path below which the service is reached; empty, or without a slash at its end. */
const BASE = globalThis.document?.documentElement.dataset.base ?? '';

/** A path of the service, as links and requests need it: `to('/docs')`. */
export const to = (path: string): string => `${BASE}${path}`;

export const SERVICE_URL = `${globalThis.location?.origin ?? ''}${BASE}`;
