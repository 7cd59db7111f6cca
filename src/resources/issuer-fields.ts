import {
  MAX_AUDIENCES,
  MAX_CLAIM_VALUES,
  MAX_DESCRIPTION_CHARACTERS,
  MAX_ISSUER_CHARACTERS,
  MAX_ISSUER_SKEW_SECONDS,
  MAX_JWKS_URI_CHARACTERS,
  MAX_REQUIRED_CLAIMS,
} from '../model/bounds.ts';
import { MAX_CLAIM_NAME_CHARACTERS, MAX_CLAIM_VALUE_CHARACTERS } from '../model/derived-app-key.ts';
import { bounded, textBound } from '../model/document/bounds.ts';
import {
  alternatives,
  type Field,
  FieldFault,
  flagField,
  idField,
  isMapping,
  textField,
  textThat,
  wholeNumberField,
} from '../model/document/fields.ts';
import type { RequiredClaims } from '../model/issuer.ts';
import { type JwtAlgorithm, jwtAlgorithms } from '../model/jwt-algorithms.ts';
import { labelsField } from '../model/labels-field.ts';

const CONTROL = /[\p{Cc}\p{Cs}]/u;

function isPlainText(text: unknown, most: number): text is string {
  return typeof text === 'string' && text !== '' && text.length <= most && !CONTROL.test(text);
}

const issuerField = textThat(
  (text) => isPlainText(text, MAX_ISSUER_CHARACTERS),
  `must hold 1 to ${String(MAX_ISSUER_CHARACTERS)} characters, as the claim "iss" of its tokens has them`,
);

/** Characters that a URL may hold as they are: others would be changed or dropped where it is read. */
const URL_TEXT = /^[\x21-\x7e]+$/;

const jwksUriField = textThat(
  (text) => {
    if (text.length > MAX_JWKS_URI_CHARACTERS || !URL_TEXT.test(text) || text.includes('#')) return false;
    const url = URL.parse(text);
    return url?.protocol === 'https:' && url.username === '' && url.password === '';
  },
  `must be an https address without user and fragment, of at most ${String(MAX_JWKS_URI_CHARACTERS)} characters`,
);

const noAudiences = new FieldFault(
  `must be a list of 1 to ${String(MAX_AUDIENCES)} different texts of 1 to ${String(MAX_ISSUER_CHARACTERS)} characters`,
);
const audiencesField: Field<readonly string[]> = Object.assign(
  (raw: unknown) =>
    isListOf(raw, MAX_AUDIENCES, (each) => isPlainText(each, MAX_ISSUER_CHARACTERS))
      ? (raw as readonly string[])
      : noAudiences,
  { schema: { bsonType: 'array', minItems: 1, maxItems: MAX_AUDIENCES, items: { bsonType: 'string' } } },
);

const noAlgorithms = new FieldFault(`must be a list of different algorithms, each ${alternatives(jwtAlgorithms)}`, {
  choices: jwtAlgorithms,
});
/** In one order, so that equal ones are equal lists. */
const algorithmsField: Field<readonly JwtAlgorithm[]> = Object.assign(
  (raw: unknown) =>
    isListOf(raw, jwtAlgorithms.length, (each) => jwtAlgorithms.some((known) => known === each))
      ? jwtAlgorithms.filter((known) => (raw as readonly unknown[]).includes(known))
      : noAlgorithms,
  { schema: { bsonType: 'array', minItems: 1, items: { enum: jwtAlgorithms } } },
);

/** What the service checks of every token by rules of its own. */
const OWN_CLAIMS: readonly string[] = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'cnf'];

const noClaims = new FieldFault(
  `must be a mapping of at most ${String(MAX_REQUIRED_CLAIMS)} claims, each with the value or the list of values allowed`,
);
const noClaimName = new FieldFault(
  `must be of a claim with a name of 1 to ${String(MAX_CLAIM_NAME_CHARACTERS)} characters`,
);
const ownClaim = new FieldFault(`must not be of ${alternatives(OWN_CLAIMS)}: these are checked by rules of their own`);
const noClaimValue = new FieldFault(
  `must be a text of 1 to ${String(MAX_CLAIM_VALUE_CHARACTERS)} characters, or a list of 1 to ${String(MAX_CLAIM_VALUES)} such texts`,
);

/** By name, so that equal ones are equal mappings. A list of one value is the value. */
const requiredClaimsField: Field<RequiredClaims> = Object.assign(
  (raw: unknown) => {
    if (!isMapping(raw) || Object.keys(raw).length > MAX_REQUIRED_CLAIMS) return noClaims;
    const inside = Object.entries(raw).flatMap(([key, value]) => {
      const fault = claimFault(key, value);
      return fault === null ? [] : [{ key, fault }];
    });
    if (inside.length > 0) return new FieldFault('', { inside });
    const claims = Object.entries(raw as RequiredClaims).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(
      claims.map(([name, value]) => [name, typeof value !== 'string' && value.length === 1 ? (value[0] ?? '') : value]),
    );
  },
  {
    schema: {
      bsonType: 'object',
      maxProperties: MAX_REQUIRED_CLAIMS,
      additionalProperties: { bsonType: ['string', 'array'], items: { bsonType: 'string' } },
    },
  },
);

function claimFault(name: string, value: unknown): FieldFault | null {
  if (!isPlainText(name, MAX_CLAIM_NAME_CHARACTERS)) return noClaimName;
  if (OWN_CLAIMS.includes(name)) return ownClaim;
  const isValue = (each: unknown): boolean => isPlainText(each, MAX_CLAIM_VALUE_CHARACTERS);
  return isValue(value) || isListOf(value, MAX_CLAIM_VALUES, isValue) ? null : noClaimValue;
}

function isListOf(raw: unknown, most: number, test: (each: unknown) => boolean): boolean {
  return (
    Array.isArray(raw) && raw.length > 0 && raw.length <= most && new Set(raw).size === raw.length && raw.every(test)
  );
}

/** What each field of an issuer must be, wherever it is written, but for where its keys are given as such. */
export const issuerFields = {
  id: idField,
  description: bounded(textField, textBound(MAX_DESCRIPTION_CHARACTERS)),
  labels: labelsField,
  issuer: issuerField,
  jwksUri: jwksUriField,
  audiences: audiencesField,
  algorithms: algorithmsField,
  clockSkewSeconds: wholeNumberField(0, MAX_ISSUER_SKEW_SECONDS),
  requiredClaims: requiredClaimsField,
  enabled: flagField,
} as const;
