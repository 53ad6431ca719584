// The filter of a list by session.

import Type from 'typebox';
import { SESSION } from './text-patterns.ts';

export function sessionFilter(description: string) {
  return Type.Optional(Type.String({ pattern: SESSION, description }));
}
