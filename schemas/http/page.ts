// Paginated lists.

import Type, { type TInteger, type TObject, type TOptional, type TSchema } from 'typebox';

const OFFSET_MAX = 2_147_483_647;

/** Items of a page, for lists that have no default of their own. */
export const PAGE_ITEMS = 20;

/** Query of a paginated list: `limit` and `offset`. */
export function pageQuery(
  limitMax: number,
  limitDefault = PAGE_ITEMS,
): TObject<{ limit: TOptional<TInteger>; offset: TOptional<TInteger> }> {
  const description = `Most items of this page. Default: ${limitDefault}.`;
  return Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limitMax, description })),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: OFFSET_MAX, description: 'Items of the list before this page.' }),
    ),
  });
}

/** The wrapper of most responses: `{ data: ... }`. */
export function data<Schema extends TSchema>(schema: Schema): TObject<{ data: Schema }> {
  return Type.Object({ data: schema });
}

/** Which part of the list a page shows. The items stand beside it, under a name of their own. */
export const PAGE_PLACE = {
  total: Type.Integer({ description: 'Number of items in the whole list.' }),
  limit: Type.Integer({ description: 'Most items of this page.' }),
  offset: Type.Integer({ description: 'Items of the list before this page.' }),
};
