import { hexValue } from '../../base/text/encodings.ts';

/**
 * A request target in normal form (spec §2.1).
 * `raw`, `path` and `query` are as received; `comparable` is the path that rules are compared with:
 * percent-decoded once (one character a byte) and every segment without what follows a `;`.
 */
export interface Target {
  readonly raw: string;
  readonly path: string;
  /** Without the `?`; null when the target has none. */
  readonly query: string | null;
  readonly comparable: string;
}

/** Why a target or configured path is not in normal form, in words for a log or an operator. */
export interface NotNormal {
  readonly reason: string;
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const FIRST_PRINTABLE = 0x20;
const DELETE = 0x7f;
/** Bytes that no target holds: those outside 0x21-0x7E, and `#`. */
const REFUSED = /[^\x21\x22\x24-\x7e]/;
/** What keeps a path from being its own comparable form. */
const NOT_PLAIN = /[\\%;]/;

/**
 * Parses the raw `:path`, one character a byte. What is not in normal form is refused, never repaired,
 * because the back end gets, and partners sign, the bytes as they were sent (spec §2.1).
 */
export function parseTarget(raw: string): Target | NotNormal {
  if (raw.charCodeAt(0) !== SLASH) return notNormal('it does not begin with "/"');
  if (REFUSED.test(raw)) return notNormal(raw.includes('#') ? 'it holds a "#"' : 'it holds a byte outside 0x21-0x7E');
  const mark = raw.indexOf('?');
  const path = mark === -1 ? raw : raw.slice(0, mark);
  const query = mark === -1 ? null : raw.slice(mark + 1);
  const plain = !NOT_PLAIN.test(path);
  if (!plain && path.includes('\\')) return notNormal('the path holds a "\\"');
  const fault = plain ? null : findEncodingFault(path);
  if (fault !== null) return notNormal(fault);
  const decoded = plain ? path : decodePercent(path);
  const comparable = plain ? path : withoutPathParameters(decoded);
  const odd = findOddSegment(comparable);
  if (odd !== null) return notNormal(`the path holds ${odd}`);
  const hidden = plain ? null : findHidden(decoded);
  if (hidden !== null) return notNormal(`the path hides ${hidden} behind double encoding`);
  return { raw, path, query, comparable };
}

/** A path rule, ready for comparison; a prefix has no trailing `/` (the prefix `/` becomes the empty text). */
export interface ComparableRule {
  readonly kind: 'prefix' | 'exact';
  readonly comparable: string;
}

/** Parses the path of a rule. Rules must be in normal form and hold neither a query nor path parameters (spec §2.3). */
export function parsePathRule(
  rule: { readonly prefix: string } | { readonly exact: string },
): ComparableRule | NotNormal {
  const kind = 'prefix' in rule ? 'prefix' : 'exact';
  const target = parseTarget('prefix' in rule ? rule.prefix : rule.exact);
  if ('reason' in target) return target;
  if (target.query !== null) return notNormal('a path rule cannot hold a "?"');
  if (/;|%3b/i.test(target.path)) return notNormal('a path rule cannot hold a ";"');
  const { comparable } = target;
  return { kind, comparable: kind === 'prefix' && comparable.endsWith('/') ? comparable.slice(0, -1) : comparable };
}

function notNormal(reason: string): NotNormal {
  return { reason };
}

/** What a second decoding would bring to light, as a back end may do it that leaves other `%` as they are. */
function findHidden(decodedOnce: string): string | null {
  if (!decodedOnce.includes('%')) return null;
  if (hidesSeparator(decodedOnce)) return 'a "/", "\\" or "."';
  return findOddSegment(withoutPathParameters(decodePercent(decodedOnce)));
}

/** What keeps a path from being decoded: a `%` that encodes nothing, or control characters and separators. */
function findEncodingFault(path: string): string | null {
  let fault: string | null = null;
  for (let at = path.indexOf('%'); at !== -1; at = path.indexOf('%', at + 3)) {
    const byte = hexPair(path, at + 1);
    if (byte === -1) return 'the path holds a "%" that is not followed by two hexadecimal digits';
    if (byte < FIRST_PRINTABLE || byte === DELETE) fault ??= 'the path holds an encoded control character';
    if (isSeparator(byte)) fault ??= 'the path holds an encoded "/", "\\" or "."';
  }
  return fault;
}

function hidesSeparator(decodedOnce: string): boolean {
  for (let at = decodedOnce.indexOf('%'); at !== -1; at = decodedOnce.indexOf('%', at + 1)) {
    if (isSeparator(hexPair(decodedOnce, at + 1))) return true;
  }
  return false;
}

function isSeparator(byte: number): boolean {
  return byte === SLASH || byte === BACKSLASH || byte === DOT;
}

/** Decodes every `%XX` to one character a byte, and leaves any other `%` as it is. */
function decodePercent(text: string): string {
  let decoded = '';
  let copied = 0;
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', Math.max(at + 1, copied))) {
    const byte = hexPair(text, at + 1);
    if (byte === -1) continue;
    decoded += text.slice(copied, at) + String.fromCharCode(byte);
    copied = at + 3;
  }
  return decoded + text.slice(copied);
}

/** -1 where no two digits stand. A text that ends there is not looked up: NaN as an index makes V8's code slow. */
function hexPair(text: string, at: number): number {
  if (at + 1 >= text.length) return -1;
  const high = hexValue(text.charCodeAt(at));
  const low = hexValue(text.charCodeAt(at + 1));
  return high === -1 || low === -1 ? -1 : high * 16 + low;
}

/** Drops `;…` from every segment. Decoding never yields a `/`, so the segments are still apart. */
function withoutPathParameters(decoded: string): string {
  let kept = '';
  let at = 0;
  while (at < decoded.length) {
    const semicolon = decoded.indexOf(';', at);
    if (semicolon === -1) return kept + decoded.slice(at);
    kept += decoded.slice(at, semicolon);
    const slash = decoded.indexOf('/', semicolon);
    at = slash === -1 ? decoded.length : slash;
  }
  return kept;
}

/** Empty segments (but the last) and dot segments, which back ends resolve in different ways. */
function findOddSegment(comparable: string): string | null {
  let start = 1;
  for (;;) {
    const slash = comparable.indexOf('/', start);
    const end = slash === -1 ? comparable.length : slash;
    const length = end - start;
    if (length === 0 && slash !== -1) return 'an empty segment';
    if (
      (length === 1 && comparable.charCodeAt(start) === DOT) ||
      (length === 2 && comparable.charCodeAt(start) === DOT && comparable.charCodeAt(start + 1) === DOT)
    ) {
      return 'a "." or ".." segment';
    }
    if (slash === -1) return null;
    start = slash + 1;
  }
}
