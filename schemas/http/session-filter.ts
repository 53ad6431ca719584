// The filter of a list by session.

import Type from 'typebox';

export function sessionFilter(description: string) {
  // PostgreSQL takes no text with U+0000.
  return Type.Optional(Type.String({ pattern: '^[^\\u0000]*$', description }));
}
