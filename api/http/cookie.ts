// Cookies: one out of a request's header, and one for an answer's.

const SESSION_COOKIE = 'session';

/** The value of the session cookie, or null. */
export function sessionCookie(header: string): string | null {
  for (const pair of header.split(';')) {
    const [name, value] = pair.split('=', 2);
    if (name!.trim() === SESSION_COOKIE && value !== undefined) return value.trim();
  }
  return null;
}

/** A `Set-Cookie` value; an empty `token` with `maxAgeS` 0 removes the cookie. */
export function setSessionCookie(token: string, maxAgeS: number, https: boolean): string {
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
}
