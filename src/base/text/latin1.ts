/** Longer text is copied by native code, whose call costs about as much as to copy so many characters here. */
const MAX_SHORT_TEXT = 16;

/** Writes text of one character a byte (latin1) into bytes that have room for it, from `at` on. */
export function writeLatin1(bytes: Buffer, text: string, at: number): void {
  const { length } = text;
  if (length > MAX_SHORT_TEXT) bytes.write(text, at, 'latin1');
  else for (let index = 0; index < length; index += 1) bytes[at + index] = text.charCodeAt(index);
}

/** Whether this text of one character a byte stands there. Where the bytes end before it does, it does not. */
export function isLatin1At(bytes: Uint8Array, text: string, at: number): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}
