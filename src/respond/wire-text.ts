/**
 * Protocol buffer messages written as text of one character a byte. A field's length is then the text's length, so
 * nested messages need no second pass, and the whole answer becomes bytes once, in {@link toBytes}.
 */
export type WireText = string;

const MAX_ONE_BYTE = 0x7f;

/** A length-delimited field (string, bytes, message) with a number below 16. Text must hold one character a byte. */
export function field(number: number, content: WireText): WireText {
  return fieldHead(number, content.length) + content;
}

/** What stands before the content of a {@link field} that has this many bytes. */
export function fieldHead(number: number, contentBytes: number): WireText {
  return String.fromCharCode((number << 3) | 2) + varint(contentBytes);
}

/** A varint field with a number below 16: unsigned numbers and enums. */
export function numberField(number: number, value: number): WireText {
  return String.fromCharCode(number << 3) + varint(value);
}

/** A varint of a number that is not negative. */
function varint(value: number): WireText {
  let text = '';
  let rest = value;
  while (rest > MAX_ONE_BYTE) {
    text += String.fromCharCode((rest & MAX_ONE_BYTE) | 0x80);
    rest = Math.floor(rest / 128);
  }
  return text + String.fromCharCode(rest);
}

/** Any text as its UTF-8 bytes, one character each. Plain ASCII is returned as it is. */
export function utf8(text: string): WireText {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** The bytes of a finished message. */
export function toBytes(message: WireText): Buffer {
  return Buffer.from(message, 'latin1');
}

/** The bytes of a message whose last content is there as bytes: they are copied once, and never become text. */
export function toBytesBefore(message: WireText, content: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(message.length + content.length);
  bytes.write(message, 'latin1');
  bytes.set(content, message.length);
  return bytes;
}
