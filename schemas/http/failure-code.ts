// Why an attempt got no complete response, as the delivery log and the metrics name it.

export const FAILURE_CODES = [
  'timeout',
  'connection_refused',
  'connection_reset',
  'connection_closed',
  'unreachable',
  'name_not_resolved',
  'tls',
  'not_allowed',
  'bad_answer',
  'other',
] as const;
