import { type Fields, type MappingKind, textField } from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { readMapping, type Values, withDefaults } from '../model/document/read-mapping.ts';
import type { Reader } from '../model/document/read-plain.ts';
import { isKeyFor, type Issuer, issuerDefaults } from '../model/issuer.ts';
import { sortLabels } from '../model/labels.ts';
import { type Declared, withoutDefaults } from './declared.ts';
import { issuerFields } from './issuer-fields.ts';
import { declareIssuerKeys, jwksField, readIssuerKeys } from './issuer-keys.ts';
import type { ReadKeyFile } from './secret-source.ts';

const fields = { ...issuerFields, jwks: jwksField };

/** An issuer of a declarative file, whose keys may be in a file of their own. */
export const issuerKind = {
  what: 'an issuer',
  fields: { ...fields, jwksFile: textField },
  required: ['id', 'issuer', 'audiences'],
} as const;

/** An issuer of a database, which always says whether it is enabled. */
export const storedIssuerKind = {
  what: 'an issuer',
  fields,
  required: ['id', 'issuer', 'audiences', 'enabled'],
} as const;

/** Reads an issuer of a declarative file (spec §1) with its files; null when a problem was reported. */
export function readIssuer(
  raw: unknown,
  place: Place,
  context: { readonly problems: ProblemLog; readonly readKeyFile: ReadKeyFile },
): Issuer | null {
  return readOf(issuerKind, raw, place, context);
}

/** Reads an issuer that is made or changed by itself; no files are read. */
export const readIssuerAlone: Reader<Issuer> = (raw, place, problems) =>
  readOf({ ...storedIssuerKind, required: issuerKind.required }, raw, place, { problems, readKeyFile: null });

/** Reads an issuer of a database; null when a problem was reported. */
export const readStoredIssuer: Reader<Issuer> = (raw, place, problems) =>
  readOf(storedIssuerKind, raw, place, { problems, readKeyFile: null });

function readOf<F extends Fields & typeof fields>(
  kind: MappingKind<F>,
  raw: unknown,
  place: Place,
  context: { readonly problems: ProblemLog; readonly readKeyFile: ReadKeyFile | null },
): Issuer | null {
  const { problems } = context;
  const before = problems.count;
  const read: Values<typeof fields> | null = readMapping(raw, place, kind, problems);
  if (read === null) return null;
  const keys = readIssuerKeys(raw, read, place, context);
  const { id, issuer, audiences } = read;
  const { algorithms, ...rest } = withDefaults<Pick<Issuer, keyof typeof issuerDefaults>>(read, issuerDefaults);
  if (keys?.kind === 'jwks' && !keys.keys.some((key) => algorithms.some((each) => isKeyFor(key, each)))) {
    problems.report(placeIn(place, 'algorithms'), 'no key of the issuer is for one of its "algorithms"; add one');
  }
  if (keys === null || id === undefined || issuer === undefined || audiences === undefined) return null;
  return problems.count > before ? null : { id, issuer, keys, audiences, algorithms, ...rest };
}

/** An issuer as a declarative file has it; defaults are left out. */
export function declareIssuer(given: Issuer): Declared {
  const { id, description, labels, issuer, keys } = given;
  const { audiences, algorithms, clockSkewSeconds, requiredClaims, enabled } = given;
  const declared = {
    id,
    description,
    labels: sortLabels(labels),
    issuer,
    ...declareIssuerKeys(keys),
    audiences,
    algorithms,
    clockSkewSeconds,
    requiredClaims,
    enabled,
  };
  return withoutDefaults(declared, issuerDefaults);
}

/** The same, always with `enabled`: see `declareWholeEndpoint`. */
export function declareWholeIssuer(issuer: Issuer): Declared {
  return { ...declareIssuer(issuer), enabled: issuer.enabled };
}
