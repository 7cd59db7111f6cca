import { parseUniqueJson } from '../base/text/unique-json.ts';
import { nestedField, nestedMapping } from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, subjectOf } from '../model/document/read-mapping.ts';
import { UNREADABLE } from '../model/document/yaml-tree.ts';
import type { IssuerKey, IssuerKeys } from '../model/issuer.ts';
import { describeKeyFault, PRIVATE_KEY_FAULT, type PublicKeyFault } from '../model/public-key/public-key-fault.ts';
import { isMarkedPrivate } from '../model/public-key/read-public-key.ts';
import { type JwkSet, readJwkSet } from '../model/read-jwk-set.ts';
import type { Declared } from './declared.ts';
import type { ReadKeyFile } from './secret-source.ts';

/** A set of keys in a document, and the members of its keys that are kept. */
export const jwksField = nestedMapping(
  { what: '"jwks"', fields: { keys: nestedField({ bsonType: 'array' }) }, required: ['keys'] },
  {
    bsonType: 'object',
    properties: { keys: { bsonType: 'array', minItems: 1, items: { bsonType: 'object' } } },
    required: ['keys'],
    additionalProperties: false,
  },
);

/** The keys of a mapping of which an issuer has exactly one. */
type KeyName = 'jwksUri' | 'jwks' | 'jwksFile';
const names: readonly KeyName[] = ['jwksUri', 'jwks', 'jwksFile'];

/** Those that were right where they were read. */
type KeyValues = { readonly [N in KeyName]?: unknown };

/**
 * Reads where the keys of an issuer are; null when a problem was reported.
 *
 * @param readKeyFile null where no files are read: `jwksFile` is no key there
 */
export function readIssuerKeys(
  raw: unknown,
  values: KeyValues,
  place: Place,
  { problems, readKeyFile }: { readonly problems: ProblemLog; readonly readKeyFile: ReadKeyFile | null },
): IssuerKeys | null {
  const [given, ...others] = names.filter((name) => (readKeyFile !== null || name !== 'jwksFile') && hasKey(raw, name));
  for (const other of others)
    problems.reportKey(place, other, `"${given ?? ''}" and "${other}" exclude each other; keep one`);
  if (given === undefined) {
    const rest = readKeyFile === null ? 'or "jwks"' : '"jwks" or "jwksFile"';
    problems.reportMissing(place, `the keys are missing; an issuer has "jwksUri", ${rest}`);
    return null;
  }
  const value = values[given];
  if (value === undefined || value === UNREADABLE) return null;
  const at = placeIn(place, given);
  if (given === 'jwks') return usableKeys(readJwkSet(value), at, given, problems);
  if (typeof value !== 'string') return null;
  if (given === 'jwksUri') return { kind: 'uri', jwksUri: value };
  const set = readSetFile(value, at, problems, readKeyFile);
  return set === null ? null : usableKeys(set, at, given, problems);
}

function readSetFile(
  path: string,
  place: Place,
  problems: ProblemLog,
  readKeyFile: ReadKeyFile | null,
): JwkSet | PublicKeyFault | null {
  const answer = readKeyFile?.(path, place.tree.file, 'jwks');
  if (answer === undefined) return null;
  if ('fault' in answer) {
    problems.report(place, `"jwksFile" ${answer.fault}`);
    return null;
  }
  return readJwkSetText(answer.text);
}

/** Reads a text as people have it: a set of keys as JSON. No fault repeats anything of it. */
export function readJwkSetText(text: string): JwkSet | PublicKeyFault {
  if (isMarkedPrivate(text)) return PRIVATE_KEY_FAULT;
  const raw = parseUniqueJson(Buffer.from(text, 'utf8'));
  return raw === undefined ? { fault: 'is no JSON, or names something twice' } : readJwkSet(raw);
}

function usableKeys(
  set: JwkSet | PublicKeyFault,
  place: Place,
  name: 'jwks' | 'jwksFile',
  problems: ProblemLog,
): IssuerKeys | null {
  if ('fault' in set) {
    problems.report(place, describeKeyFault(`"${name}"`, set));
    return null;
  }
  for (const { index, fault } of set.faults) {
    const at = name === 'jwks' ? placeIn(place, 'keys', index) : place;
    const subject = name === 'jwks' ? subjectOf(at.path) : `"jwksFile": key ${String(index + 1)}`;
    problems.report(at, `${subject} ${fault}`);
  }
  if (set.faults.length > 0) return null;
  if (set.keys.length === 0) {
    problems.report(place, `"${name}" has no key that verifies tokens; those for other uses are passed over`);
    return null;
  }
  return { kind: 'jwks', keys: set.keys };
}

/** The keys of an issuer as a document has them. */
export function declareIssuerKeys(keys: IssuerKeys): Declared {
  return keys.kind === 'uri' ? { jwksUri: keys.jwksUri } : { jwks: { keys: keys.keys.map(declareKey) } };
}

/** A JWK with its members in one order. */
function declareKey({ kid, alg, publicKey }: IssuerKey): Declared {
  const { kty, ...members } = publicKey.jwk;
  return { kty, ...(kid === null ? {} : { kid }), ...(alg === null ? {} : { alg }), ...members };
}
