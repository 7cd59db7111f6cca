import { type BareItem, type InnerList, isInnerList, type Item, type Member, type Parameters } from './values.ts';

/** The one spelling of a value of a structured field (RFC 8941 §4.1). Values are those that a reader gave. */
export function writeValue(value: Item | InnerList): string {
  if (!isInnerList(value)) return writeBare(value.bare) + writeParameters(value.parameters);
  return `(${value.items.map(writeValue).join(' ')})${writeParameters(value.parameters)}`;
}

/** The one spelling of a list. */
export function writeList(members: readonly Member[]): string {
  return members.map(({ value }) => writeValue(value)).join(', ');
}

/** The one spelling of a dictionary. */
export function writeDictionary(members: ReadonlyMap<string, Member>): string {
  return Array.from(members, ([key, { value }]) => {
    const isFlag = !isInnerList(value) && value.bare.value === true;
    return isFlag ? key + writeParameters(value.parameters) : `${key}=${writeValue(value)}`;
  }).join(', ');
}

/** A text as a string of structured fields. Without characters that cannot stand there. */
export function writeString(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Bytes as a byte sequence of structured fields. */
export function writeBytes(bytes: Buffer): string {
  return `:${bytes.toString('base64')}:`;
}

function writeParameters(parameters: Parameters): string {
  let text = '';
  for (const [key, value] of parameters) text += value.value === true ? `;${key}` : `;${key}=${writeBare(value)}`;
  return text;
}

function writeBare(item: BareItem): string {
  switch (item.type) {
    case 'integer':
      return String(item.value);
    case 'decimal':
      return Number.isInteger(item.value) ? item.value.toFixed(1) : String(item.value);
    case 'string':
      return writeString(item.value);
    case 'token':
      return item.value;
    case 'bytes':
      return writeBytes(item.value);
    case 'boolean':
      return item.value ? '?1' : '?0';
  }
}
