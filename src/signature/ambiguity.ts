import { valueStart } from './parameter-order.ts';
import type { Span } from './parameters.ts';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;

/**
 * Tells whether the decoded text of some parameters, which stand in `bytes`, could also be read as that of others (spec §3.3): a name holds `&`
 * or `=`, or, when `strictParameters` is on, a value holds an `&` with a `=` somewhere after it.
 * (`b=1%26c%3D2` signs like `b=1&c=2`; `A&B` as a value cannot be mistaken, because every parameter has its `=`.)
 */
export function isAmbiguous(bytes: Buffer, spans: readonly Span[], strictParameters: boolean): boolean {
  return spans.some((span) => {
    const name = bytes.subarray(span.start, span.nameEnd);
    if (name.includes(AMPERSAND) || name.includes(EQUALS)) return true;
    if (!strictParameters) return false;
    const value = bytes.subarray(valueStart(span), span.end);
    const ampersand = value.indexOf(AMPERSAND);
    return ampersand !== -1 && value.includes(EQUALS, ampersand);
  });
}
