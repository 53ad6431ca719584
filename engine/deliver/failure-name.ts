// What the delivery log calls a failed connection.

/** The error's code where it has one (`ECONNREFUSED`), else its message. */
export function failureName(error: Error): string {
  const { code, cause } = error as Error & { code?: unknown };
  if (typeof code === 'string') return code === 'ADDRESS_REFUSED' ? error.message : code;
  if (cause instanceof Error) return failureName(cause);
  return error.message;
}
