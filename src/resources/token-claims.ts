import { FieldFault, type Field, idField, nestedList, textThat } from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readList, readMapping } from '../model/document/read-mapping.ts';
import { isMapping } from '../model/document/fields.ts';
import { MAX_CLAIM_NAME_CHARACTERS, MAX_CLAIM_VALUE_CHARACTERS, MAX_CLAIMS } from '../model/derived-app-key.ts';
import { tokenClaimsMaterial, type TokenClaimsMaterial } from '../model/material.ts';
import type { Declared } from './declared.ts';

type Claims = Readonly<Record<string, string>>;

const NAME = new RegExp(`^[!-~]{1,${String(MAX_CLAIM_NAME_CHARACTERS)}}$`);
const CONTROL_OR_LONE = /[\u0000-\u001f\u007f-\u009f\p{Cs}]/u;

const badName = new FieldFault(
  `is under a name that is none of a claim: 1 to ${String(MAX_CLAIM_NAME_CHARACTERS)} printable ASCII characters`,
);
const badValue = new FieldFault(
  `must be 1 to ${String(MAX_CLAIM_VALUE_CHARACTERS)} characters, none of them a control character`,
);
const badCount = new FieldFault(`must have 1 to ${String(MAX_CLAIMS)} claims`);
const noClaims = new FieldFault('must be a mapping (key: value)', { isOtherType: true });
const noText = new FieldFault('must be a text', { isOtherType: true });

/** The claims that are a consumer, by name; of a token, only texts are compared. */
export const claimsField: Field<Claims> = Object.assign(readClaims, {
  schema: {
    bsonType: 'object',
    minProperties: 1,
    maxProperties: MAX_CLAIMS,
    additionalProperties: { bsonType: 'string' },
  },
});

function readClaims(raw: unknown): Claims | FieldFault {
  if (!isMapping(raw)) return noClaims;
  const inside = Object.entries(raw).flatMap(([key, value]) => {
    const fault = faultOf(key, value);
    return fault === null ? [] : [{ key, fault }];
  });
  if (inside.length > 0) return new FieldFault('', { inside });
  const count = Object.keys(raw).length;
  return count === 0 || count > MAX_CLAIMS ? badCount : (raw as Claims);
}

function faultOf(name: string, value: unknown): FieldFault | null {
  if (!NAME.test(name)) return badName;
  if (typeof value !== 'string') return noText;
  const isRight = value !== '' && value.length <= MAX_CLAIM_VALUE_CHARACTERS && !CONTROL_OR_LONE.test(value);
  return isRight ? null : badValue;
}

/** Claims as a database keeps them: a list, as names may hold what the name of a field cannot. */
const storedClaimKind = {
  what: 'a claim',
  fields: {
    name: textThat((text) => NAME.test(text), 'must be the name of a claim'),
    value: textThat((text) => faultOf('a', text) === null, 'must be the value of a claim'),
  },
  required: ['name', 'value'],
} as const;

/** The keys of claims in a declarative file. */
export const tokenClaimsFields = { issuer: idField, claims: claimsField } as const;

/** The keys of claims in a database; `claimNames` are the sorted names as JSON, which an index has by issuer. */
export const storedTokenClaimsFields = {
  issuer: idField,
  claims: nestedList(storedClaimKind),
  claimNames: textThat(() => true, ''),
} as const;

/** What a database keeps of claims. */
export interface StoredTokenClaims {
  readonly issuer: string;
  readonly claims: readonly { readonly name: string; readonly value: string }[];
  readonly claimNames: string;
}

/** Reads `issuer` and `claims` of a document; null when a problem was reported. */
export function readTokenClaims(
  raw: unknown,
  { issuer, claims }: { readonly issuer?: string; readonly claims?: Claims },
  place: Place,
  problems: ProblemLog,
): TokenClaimsMaterial | null {
  if (!hasKey(raw, 'issuer')) {
    problems.reportMissing(place, '"issuer" is missing; a credential of method jwt names the issuer of its tokens');
  }
  if (!hasKey(raw, 'claims')) {
    problems.reportMissing(
      place,
      '"claims" is missing; a credential of method jwt names the claims that are its consumer, such as { azp: acme-batch }',
    );
  }
  return issuer === undefined || claims === undefined ? null : tokenClaimsMaterial(issuer, claims);
}

/** Claims as a document has them. */
export function declareTokenClaims({ issuerId, claims }: TokenClaimsMaterial): Declared {
  return { issuer: issuerId, claims };
}

/** Reads claims of a database; null when a problem was reported. */
export function readStoredTokenClaims(
  { issuer, claims, claimNames }: { readonly issuer?: string; readonly claims?: unknown; readonly claimNames?: string },
  place: Place,
  problems: ProblemLog,
): TokenClaimsMaterial | null {
  const before = problems.count;
  const at = placeIn(place, 'claims');
  const pairs = (readList(claims, at, problems) ?? []).map((item, index) =>
    readMapping(item, placeIn(at, index), storedClaimKind, problems),
  );
  if (problems.count > before || issuer === undefined || claims === undefined) return null;
  const read = Object.fromEntries(pairs.map((pair) => [pair?.name ?? '', pair?.value ?? '']));
  const material = tokenClaimsMaterial(issuer, read);
  const names = Object.keys(read).length;
  if (names !== pairs.length || names === 0 || names > MAX_CLAIMS) {
    problems.report(at, `"claims" must be 1 to ${String(MAX_CLAIMS)} claims, each name once`);
    return null;
  }
  if (claimNames === claimNamesOf(material.claims)) return material;
  problems.report(placeIn(place, 'claimNames'), '"claimNames" are not the names in "claims"');
  return null;
}

/** Claims as a database keeps them. */
export function storeTokenClaims({ issuerId, claims }: TokenClaimsMaterial): StoredTokenClaims {
  return {
    issuer: issuerId,
    claims: Object.entries(claims).map(([name, value]) => ({ name, value })),
    claimNames: claimNamesOf(claims),
  };
}

/** The sorted names of claims as one text, by which credentials of an issuer that look at the same claims are found. */
export function claimNamesOf(claims: Claims): string {
  return JSON.stringify(Object.keys(claims).sort());
}
