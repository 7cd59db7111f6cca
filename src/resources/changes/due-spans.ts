import type { DueSpan } from './due-source.ts';

/** What a list of credentials is asked for that a store finds by what is due. Seconds; null for what is not asked. */
export interface DueQuery {
  readonly endingSeconds: number | null;
  readonly isFormerWanted: boolean;
  readonly unusedSeconds: number | null;
}

/** The narrowest orders that have all that fit; null where nothing is asked by what is due. */
export function spansOf(
  { endingSeconds, isFormerWanted, unusedSeconds }: DueQuery,
  nowSeconds: number,
): readonly DueSpan[] | null {
  const nowMs = nowSeconds * 1000;
  if (endingSeconds !== null) {
    const untilMs = nowMs + endingSeconds * 1000;
    return [
      { order: 'end', afterMs: nowMs, untilMs },
      // Of several certificates the first may have ended already.
      { order: 'certificate', afterMs: -Infinity, untilMs },
    ];
  }
  if (isFormerWanted) {
    const orders = ['former-secret', 'former-key', 'retiring'] as const;
    return orders.map((order) => ({ order, afterMs: nowMs, untilMs: Infinity }));
  }
  return unusedSeconds === null ? null : [{ order: 'idle', afterMs: -Infinity, untilMs: nowMs - unusedSeconds * 1000 }];
}
