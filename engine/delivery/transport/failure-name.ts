// What the delivery log calls a failed connection.

/**
 * The error's code where it has one (`ECONNREFUSED`; of several addresses that failed, the first one's), else its message. Only
 * a refusal of our own has a message that says more.
 */
export function failureName(error: Error): string {
  const { code } = error as Error & { code?: unknown };
  return typeof code === 'string' && code !== 'ADDRESS_REFUSED' ? code : error.message;
}
