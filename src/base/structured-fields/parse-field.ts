import { FieldReader } from './field-reader.ts';
import type { FieldSyntaxFault, InnerList, Item, Member } from './values.ts';

/** How much a field may hold: more is a fault, met before it is read. */
export interface FieldBounds {
  readonly maxMembers: number;
  readonly maxItems: number;
}

const unbounded: FieldBounds = { maxMembers: Infinity, maxItems: Infinity };

/**
 * Reads a dictionary (RFC 8941 §3.2), its lines joined by commas; each key with its member, in the order received. A
 * repeated key is a fault, where that document takes the last one. Linear in the text. Never throws.
 */
export function parseDictionary(
  text: string,
  bounds: FieldBounds = unbounded,
): ReadonlyMap<string, Member> | FieldSyntaxFault {
  const reader = new FieldReader(text);
  const members = new Map<string, Member>();
  readMembers(reader, bounds, () => {
    const key = reader.readKey();
    if (key === null) return;
    const hasValue = reader.take('=');
    const start = reader.at;
    const value = hasValue ? readValue(reader, bounds) : readFlag(reader);
    if (value === null) return;
    if (members.has(key)) reader.fail('has a key twice');
    members.set(key, { value, text: reader.textFrom(start) });
  });
  return reader.fault === null ? members : { fault: reader.fault };
}

/** Reads a list (RFC 8941 §3.1), its lines joined by commas. */
export function parseList(text: string, bounds: FieldBounds = unbounded): readonly Member[] | FieldSyntaxFault {
  const reader = new FieldReader(text);
  const members: Member[] = [];
  readMembers(reader, bounds, () => {
    const start = reader.at;
    const value = readValue(reader, bounds);
    if (value !== null) members.push({ value, text: reader.textFrom(start) });
  });
  return reader.fault === null ? members : { fault: reader.fault };
}

/** Reads a field that is one item (RFC 8941 §3.3). */
export function parseItem(text: string): Item | FieldSyntaxFault {
  const reader = new FieldReader(text);
  const item = reader.readItem();
  reader.skipSpaces();
  if (item !== null && reader.isAtEnd()) return item;
  return { fault: reader.fault ?? 'has more than one item' };
}

/** Calls `read` for each member; it fails by noting a fault. */
function readMembers(reader: FieldReader, { maxMembers }: FieldBounds, read: () => void): void {
  if (reader.isAtEnd()) return;
  for (let count = 0; ; count += 1) {
    if (count === maxMembers) reader.fail(`has more than ${String(maxMembers)} members`);
    else read();
    if (reader.fault !== null) return;
    reader.skipBlanks();
    if (reader.isAtEnd()) return;
    if (!reader.take(',')) reader.fail('has members without a comma between them');
    reader.skipBlanks();
    if (reader.isAtEnd()) reader.fail('ends with a comma');
  }
}

function readValue(reader: FieldReader, { maxItems }: FieldBounds): Item | InnerList | null {
  return reader.isAt('(') ? reader.readInnerList(maxItems) : reader.readItem();
}

/** A key alone is true (RFC 8941 §3.2). */
function readFlag(reader: FieldReader): Item | null {
  const parameters = reader.readParameters();
  return parameters === null ? null : { bare: { type: 'boolean', value: true }, parameters };
}
