// Lists that are read in pages.

import Type, { type TInteger, type TObject, type TOptional, type TSchema } from 'typebox';

const OFFSET_MAX = 2_147_483_647;

/** Query of a list with a total: `limit` and `offset`. */
export function pageQuery(limitMax: number): TObject<{ limit: TOptional<TInteger>; offset: TOptional<TInteger> }> {
  return Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: OFFSET_MAX })),
  });
}

/** Answers are wrapped: `{ data: ... }`. */
export function data<Schema extends TSchema>(schema: Schema): TObject<{ data: Schema }> {
  return Type.Object({ data: schema });
}

/** One page of a list under its own name, with the place of the page. */
export const PAGE_PLACE = {
  total: Type.Integer({ description: 'Items in the whole list.' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
};
