// A string schema with a fixed set of values.

import Type, { type TUnsafe } from 'typebox';

export function choice<const Value extends string>(
  values: readonly Value[],
  description?: string,
): TUnsafe<Value> & { readonly type: 'string' } {
  return {
    ...Type.Unsafe<Value>({ type: 'string', enum: values, ...(description === undefined ? {} : { description }) }),
    type: 'string',
  };
}
