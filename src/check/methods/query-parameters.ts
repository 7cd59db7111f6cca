import { decodeFormText } from '../../base/text/form-decoding.ts';

/** A parameter that appears more than once. */
export interface Repeated {
  readonly repeated: true;
}

const EQUALS = 0x3d;
const repeated: Repeated = { repeated: true };

/**
 * The value, as received, of the parameter that has this name after form decoding (names are case-sensitive, an
 * undecodable one equals nothing). Null when it is absent; a name without `=` counts as absent (spec §3.1).
 */
export function findParameter(query: string, name: string): string | null | Repeated {
  let found: string | null = null;
  for (let start = 0; start <= query.length; ) {
    const end = segmentEnd(query, start);
    const equals = nameEnd(query, start, end);
    if (equals < end && isNamed(query, start, equals, name)) {
      if (found !== null) return repeated;
      found = query.slice(equals + 1, end);
    }
    start = end + 1;
  }
  return found;
}

/** Drops every parameter of this name, with or without `=`; all other bytes and the order stay (spec §3.1). */
export function removeParameter(query: string, name: string): string {
  let kept: string | null = null;
  let runStart = 0;
  for (let start = 0; start <= query.length; ) {
    const end = segmentEnd(query, start);
    const equals = nameEnd(query, start, end);
    if (isNamed(query, start, equals, name)) {
      if (start > runStart) kept = joined(kept, query.slice(runStart, start - 1));
      runStart = end + 1;
    }
    start = end + 1;
  }
  return runStart <= query.length ? joined(kept, query.slice(runStart)) : (kept ?? '');
}

function joined(before: string | null, run: string): string {
  return before === null ? run : `${before}&${run}`;
}

function segmentEnd(query: string, start: number): number {
  const ampersand = query.indexOf('&', start);
  return ampersand === -1 ? query.length : ampersand;
}

/** Where the name ends: at the first `=` of the segment, or with it. */
function nameEnd(query: string, start: number, end: number): number {
  for (let at = start; at < end; at += 1) if (query.charCodeAt(at) === EQUALS) return at;
  return end;
}

function isNamed(query: string, start: number, end: number, name: string): boolean {
  // Decoding never makes a text longer, and makes one at most nine times shorter (`%XX` for each of three bytes).
  const length = end - start;
  return length >= name.length && length <= name.length * 9 && decodeFormText(query.slice(start, end)) === name;
}
