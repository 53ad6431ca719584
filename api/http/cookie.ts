// The session cookie: read from a request header, written for a response header.

/** Over https browsers accept the prefix only from this very host, so no other host of the domain can plant a cookie. */
export const sessionCookieName = (https: boolean): string => (https ? '__Host-session' : 'session');

/** The value of the session cookie, or null if there is none. */
export function sessionCookie(header: string, https: boolean): string | null {
  for (const pair of header.split(';')) {
    const [name, value] = pair.split('=', 2);
    if (name!.trim() === sessionCookieName(https) && value !== undefined) return value.trim();
  }
  return null;
}

/** Returns a `Set-Cookie` value. An empty `token` with `maxAgeS` 0 removes the cookie. */
export function setSessionCookie(token: string, maxAgeS: number, https: boolean): string {
  return `${sessionCookieName(https)}=${token}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${https ? '; Secure' : ''}`;
}
