const FIRST_LEAD = 0x81;
const LAST_LEAD = 0xfe;
const FIRST_TRAIL = 0x40;
const LAST_TRAIL = 0xfe;
const LINE_FEED = 0x0a;
/** What the decoder gives for bytes that are no character. */
const REPLACEMENT = 0xfffd;

/** Writes text as GBK, which Chinese systems have as their default; null where a character has no place in it. */
export type EncodeGbk = (text: string) => Buffer | null;

/** Makes an encoder, of the decoder that Node has. It takes a moment, once it is first used on more than ASCII. */
export function gbkEncoder(): EncodeGbk {
  let codeOf: ReadonlyMap<string, number> | null = null;
  return (text) => {
    const bytes: number[] = [];
    for (const char of text) {
      if (char < '\x80') bytes.push(char.charCodeAt(0));
      else {
        codeOf ??= readTable();
        const code = codeOf.get(char);
        if (code === undefined) return null;
        bytes.push(code >> 8, code & 0xff);
      }
    }
    return Buffer.from(bytes);
  };
}

/** Every character of two bytes, which are one number. */
function readTable(): ReadonlyMap<string, number> {
  const decoder = new TextDecoder('gbk');
  const table = new Map<string, number>();
  const row: number[] = [];
  for (let trail = FIRST_TRAIL; trail <= LAST_TRAIL; trail += 1) row.push(0, trail, LINE_FEED);
  for (let lead = FIRST_LEAD; lead <= LAST_LEAD; lead += 1) {
    for (let at = 0; at < row.length; at += 3) row[at] = lead;
    for (const [index, char] of decoder.decode(Buffer.from(row)).split('\n').entries()) {
      const first = char.codePointAt(0) ?? REPLACEMENT;
      const isOne = first !== REPLACEMENT && char.length === (first > 0xffff ? 2 : 1);
      if (isOne && !table.has(char)) table.set(char, (lead << 8) | (FIRST_TRAIL + index));
    }
  }
  return table;
}

/** Each `%XX` of a text, one character a byte, as its byte; what is no escape stays as it is. */
export function decodeEscapes(text: string): string {
  return text.replace(/%([0-9A-F]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

/** A byte, given as a character, as `%XX`. */
export function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Text as its UTF-8 bytes, one character a byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** Bytes, one character each, as the UTF-8 text that they are. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

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
