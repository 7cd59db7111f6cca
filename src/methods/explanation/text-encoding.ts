const FIRST_LEAD = 0x81;
const LAST_LEAD = 0xfe;
const FIRST_TRAIL = 0x40;
const LAST_TRAIL = 0xfe;
const LINE_FEED = 0x0a;

/** Writes text as GBK, which Chinese systems have as their default; null where a character has no place in it. */
export type EncodeGbk = (text: string) => Buffer | null;

/** Makes an encoder, of the decoder that Node has. It takes a moment, once it is first used on more than ASCII. */
export function gbkEncoder(): EncodeGbk {
  let bytesOf: ReadonlyMap<string, Buffer> | null = null;
  return (text) => {
    const pieces: Buffer[] = [];
    for (const char of text) {
      if (char < '\x80') pieces.push(Buffer.from(char, 'latin1'));
      else {
        bytesOf ??= readTable();
        const bytes = bytesOf.get(char);
        if (bytes === undefined) return null;
        pieces.push(bytes);
      }
    }
    return Buffer.concat(pieces);
  };
}

/** Every character of two bytes. */
function readTable(): ReadonlyMap<string, Buffer> {
  const decoder = new TextDecoder('gbk');
  const table = new Map<string, Buffer>();
  for (let lead = FIRST_LEAD; lead <= LAST_LEAD; lead += 1) {
    const row: number[] = [];
    for (let trail = FIRST_TRAIL; trail <= LAST_TRAIL; trail += 1) row.push(lead, trail, LINE_FEED);
    for (const [index, char] of decoder.decode(Buffer.from(row)).split('\n').entries()) {
      const isOne = Array.from(char).length === 1 && char !== '\ufffd';
      if (isOne && !table.has(char)) table.set(char, Buffer.from([lead, FIRST_TRAIL + index]));
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
