import { ID_PATTERN } from '../../model/document/fields.ts';
import { type DueOrder, dueOrders, type DuePlace, type DueSpan } from '../../resources/changes/due-source.ts';

/** `end/1790000000000/acme-hmac`, for a cursor. */
export function duePlaceText({ order, atMs, id }: DuePlace): string {
  return `${order}/${String(atMs)}/${id}`;
}

/** The place of such a text in one of the spans; null for any other text. */
export function readDuePlace(text: string, spans: readonly DueSpan[]): DuePlace | null {
  const [named, at = '', id = '', ...rest] = text.split('/');
  const order = dueOrders.find((each): each is DueOrder => each === named);
  const isPlace = /^-?\d{1,16}$/.test(at) && ID_PATTERN.test(id) && rest.length === 0;
  if (order === undefined || !isPlace || !spans.some((span) => span.order === order)) return null;
  return { order, atMs: Number(at), id };
}
