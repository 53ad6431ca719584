// The session cookie: read from a request header, written for a response header.

const SESSION_COOKIE = 'session';

/** The value of the session cookie, or null if there is none. */
export function sessionCookie(header: string): string | null {
  for (const pair of header.split(';')) {
    const [name, value] = pair.split('=', 2);
    if (name!.trim() === SESSION_COOKIE && value !== undefined) return value.trim();
  }
  return null;
}

/** Returns a `Set-Cookie` value. An empty `token` with `maxAgeS` 0 removes the cookie. */
export function setSessionCookie(token: string, maxAgeS: number, https: boolean): string {
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
}
