import { ID_PATTERN } from '../../model/document/fields.ts';
import { type DueOrder, dueOrders, type DuePlace, type DueSpan } from '../../resources/changes/due-source.ts';

/** What a list of credentials is asked for that a store finds by what is due. Seconds; null for what is not asked. */
export interface DueQuery {
  readonly endingSeconds: number | null;
  readonly isFormerWanted: boolean;
  readonly unusedSeconds: number | null;
}

/** The narrowest order that has all that fit; null where nothing is asked by what is due. */
export function spansOf(
  { endingSeconds, isFormerWanted, unusedSeconds }: DueQuery,
  nowSeconds: number,
): readonly DueSpan[] | null {
  const nowMs = nowSeconds * 1000;
  if (endingSeconds !== null) {
    const orders = ['end', 'certificate'] as const;
    return orders.map((order) => ({ order, afterMs: nowMs, untilMs: nowMs + endingSeconds * 1000 }));
  }
  if (isFormerWanted) {
    const orders = ['former-secret', 'former-key', 'retiring'] as const;
    return orders.map((order) => ({ order, afterMs: nowMs, untilMs: Infinity }));
  }
  return unusedSeconds === null ? null : [{ order: 'idle', afterMs: -Infinity, untilMs: nowMs - unusedSeconds * 1000 }];
}

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
