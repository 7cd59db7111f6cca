import { z } from '@hono/zod-openapi';
import { ID_PATTERN } from '../../model/document/fields.ts';
import type { NewestFirst, Selection } from '../../resources/changes/resource-store.ts';
import type { Stored } from '../../resources/resource.ts';
import type { Cursors } from './cursors.ts';

/** In which order a list can be: of ids, or the newest first. */
export const listOrders = ['id', '-createdAt', '-updatedAt'] as const;
export type ListOrder = (typeof listOrders)[number];

/** The order of a list, as its query has it. */
export const orderParam = z.enum(listOrders).default('id').openapi({
  description: 'The order of ids, or those first that were created or changed last.',
});

/** What a store is asked for, for a page in this order. Throws `MALFORMED_REQUEST` for a cursor of another order. */
export function readOrder(
  order: ListOrder,
  cursor: string | undefined,
  cursors: Cursors,
): Pick<Selection, 'after' | 'newest'> {
  const by = fieldOf(order);
  if (by === null) return { after: cursors.read(cursor) };
  return { newest: { by, behind: cursors.readPlace(cursor, (text) => readPlace(text, order)) } };
}

/** Behind which place a page in this order ends, for a cursor. */
export function orderPlace(order: ListOrder, id: string, stored: Omit<Stored<unknown>, 'resource'>): string {
  const by = fieldOf(order);
  return by === null ? id : `${order}/${String(stored[by])}/${id}`;
}

function fieldOf(order: ListOrder): NewestFirst['by'] | null {
  return order === 'id' ? null : order === '-createdAt' ? 'createdAt' : 'updatedAt';
}

function readPlace(text: string, order: ListOrder): NewestFirst['behind'] {
  const [named, at = '', id = '', ...rest] = text.split('/');
  const isPlace = named === order && /^-?\d{1,13}$/.test(at) && ID_PATTERN.test(id) && rest.length === 0;
  return isPlace ? { atSeconds: Number(at), id } : null;
}
