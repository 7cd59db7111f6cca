const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

/**
 * Bytes in a form in which each can be seen: UTF-8 text as it is, control characters and bytes that are not UTF-8 as
 * escapes (`\n`, `\x00`), a backslash doubled.
 */
export function visible(bytes: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    const text = bytes.toString('utf8', at, at + length);
    const byte = bytes[at] ?? 0;
    if (length === 1 && (byte < 0x20 || byte > 0x7e)) parts.push(NAMED[text] ?? hexEscape(byte));
    else if (/^[\p{C}\p{Z}]$/u.test(text) && text !== ' ')
      parts.push(...[...bytes.subarray(at, at + length)].map(hexEscape));
    else parts.push(NAMED[text] ?? text);
    at += length;
  }
  return parts.join('');
}

/** How many bytes the UTF-8 character at an index has; 1 where there is none. */
export function characterLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  if (length === 1) return 1;
  const text = bytes.toString('utf8', at, at + length);
  return text.includes('\ufffd') || Buffer.byteLength(text) !== length ? 1 : length;
}

function hexEscape(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}
