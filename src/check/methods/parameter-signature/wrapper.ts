import { isUtf8 } from 'node:buffer';
import { type Refusal, refuse } from '../../refusal.ts';
import { JsonReader } from '../../../base/text/json-reader.ts';
import { type BodyMemory, ownMemory } from '../../../base/text/body-memory.ts';
import { runAtOnce, type Work } from '../../../base/text/work.ts';

const FIELD_NAMES = ['data', 'appKey', 'sign', 'apiTimestamp'] as const;
type FieldName = (typeof FIELD_NAMES)[number];

/** So many bytes before `data` in its memory are free: for most answers, which it then need not be copied into. */
export const FREE_BEFORE_DATA = 1024;

/** The four fields of a JSON wrapper (interface document, Authentication), each as the UTF-8 bytes that are signed. */
export interface Wrapper {
  /**
   * The original body: what the back end gets, byte for byte. It need not be JSON and may be empty. Behind
   * {@link FREE_BEFORE_DATA}.
   */
  readonly data: Buffer;
  readonly appKey: Buffer;
  readonly sign: Buffer;
  /** The source text of the number, or what the string stands for; null when there is none. */
  readonly apiTimestamp: Buffer | null;
}

/**
 * Reads `{"data": string, "appKey": string, "sign": string, "apiTimestamp"?: number | string}` (spec §3.3) from the
 * bytes of a body, in one pass. Nothing is parsed to be printed again: `data` is unescaped straight into bytes.
 *
 * Refuses with `MALFORMED_WRAPPER` whatever else stands there: bytes that are not UTF-8, a byte order mark, a missing,
 * unknown or repeated key (keys are compared after unescaping), a value of another type, half of a surrogate pair,
 * anything that is not JSON, and text after the object. Nesting is refused where it begins.
 */
export function parseWrapper(body: Buffer): Wrapper | Refusal {
  return runAtOnce(parsingWrapper(body, ownMemory));
}

/** {@link parseWrapper} in turns with other work, with `data` in this memory: unescaping a large body takes long. */
export function* parsingWrapper(body: Buffer, memory: BodyMemory): Work<Wrapper | Refusal> {
  if (!isUtf8(body)) return malformed('it is not UTF-8');
  const reader = new JsonReader(body);
  if (!reader.take('{')) return malformed('it does not begin with {');
  const fields: Partial<Record<FieldName, Buffer>> = {};
  let hasMore = !reader.take('}');
  while (hasMore) {
    const key = reader.readString();
    if (key === null) return malformed(reader.problem);
    const name = FIELD_NAMES.find((known) => known.length === key.length && known === key.toString('latin1'));
    if (name === undefined) return malformed('it has an unknown key');
    if (fields[name] !== undefined) return malformed(`it has the key ${name} twice`);
    if (!reader.take(':')) return malformed(`it has no colon after the key ${name}`);
    const value = name === 'data' ? yield* reader.readingString(FREE_BEFORE_DATA, memory) : readValue(reader, name);
    if (value === null) return malformed(`in ${name}, ${reader.problem}`);
    fields[name] = value;
    hasMore = reader.take(',');
    if (!hasMore && !reader.take('}')) return malformed(`it has neither , nor } after ${name}`);
  }
  if (!reader.isAtEnd()) return malformed('something follows it');
  const { data, appKey, sign, apiTimestamp = null } = fields;
  if (data === undefined || appKey === undefined || sign === undefined) {
    return malformed(`it has no ${FIELD_NAMES.find((name) => fields[name] === undefined) ?? ''}`);
  }
  return { data, appKey, sign, apiTimestamp };
}

function readValue(reader: JsonReader, name: Exclude<FieldName, 'data'>): Buffer | null {
  return name === 'apiTimestamp' && !reader.isAtString() ? reader.readNumber() : reader.readString();
}

function malformed(what: string): Refusal {
  return refuse('MALFORMED_WRAPPER', `the JSON wrapper is not well formed: ${what}`);
}
