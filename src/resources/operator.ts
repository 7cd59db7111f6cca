import { dateField, idField, nestedList, textLike } from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { readList, readMapping, withDefaults } from '../model/document/read-mapping.ts';
import { sortLabels } from '../model/labels.ts';
import { MAX_TOKENS, type Operator, operatorDefaults, operatorFields, type OperatorToken } from '../model/operator.ts';
import { type Declared, declareTime, withoutDefaults } from './declared.ts';
import { boundHostsField, boundPrefixesField } from './operator-bounds.ts';

const tokenKind = {
  what: 'a token of an operator',
  fields: {
    id: idField,
    hash: textLike(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
    createdAt: dateField,
    expiresAt: dateField,
  },
  required: ['id', 'hash', 'createdAt', 'expiresAt'],
} as const;

const fields = { ...operatorFields, hosts: boundHostsField, pathPrefixes: boundPrefixesField };

/** An operator as an operator wishes it: its tokens are issued and revoked, never written. */
export const operatorKind = { what: 'an operator', fields, required: ['id', 'role'] } as const;

/** An operator of a database. */
export const storedOperatorKind = {
  what: 'an operator',
  fields: { ...fields, tokens: nestedList(tokenKind) },
  required: ['id', 'role', 'enabled'],
} as const;

/** Reads an operator without tokens; null when a problem was reported. */
export function readOperator(raw: unknown, place: Place, problems: ProblemLog): Operator | null {
  const before = problems.count;
  const values = readMapping(raw, place, operatorKind, problems);
  if (values?.id === undefined || values.role === undefined || problems.count > before) return null;
  return { id: values.id, role: values.role, ...withDefaults(values, operatorDefaults) };
}

/** Reads an operator of a database; null when a problem was reported. */
export function readStoredOperator(raw: unknown, place: Place, problems: ProblemLog): Operator | null {
  const before = problems.count;
  const values = readMapping(raw, place, storedOperatorKind, problems);
  const tokens = readTokens(values?.tokens, placeIn(place, 'tokens'), problems);
  if (values?.id === undefined || values.role === undefined || problems.count > before) return null;
  return { id: values.id, role: values.role, ...withDefaults(values, operatorDefaults), tokens };
}

function readTokens(raw: unknown, place: Place, problems: ProblemLog): readonly OperatorToken[] {
  const tokens: OperatorToken[] = [];
  for (const [index, item] of (readList(raw, place, problems) ?? []).entries()) {
    const values = readMapping(item, placeIn(place, index), tokenKind, problems);
    if (values?.id === undefined || values.hash === undefined) continue;
    if (values.createdAt === undefined || values.expiresAt === undefined) continue;
    tokens.push({ id: values.id, hash: values.hash, createdAt: values.createdAt, expiresAt: values.expiresAt });
  }
  if (tokens.length > MAX_TOKENS) problems.report(place, `must be at most ${String(MAX_TOKENS)} tokens`);
  return tokens;
}

/** An operator as commands and the audit trail show it, without the hashes of its tokens; defaults are left out. */
export function declareOperator({ id, name, role, enabled, ...others }: Operator): Declared {
  const tokens = others.tokens.map((token) => ({
    id: token.id,
    createdAt: declareTime(token.createdAt),
    expiresAt: declareTime(token.expiresAt),
  }));
  const { selector, hosts, pathPrefixes, certificateNames, subjects } = others;
  const bounds = { selector: sortLabels(selector), hosts, pathPrefixes };
  const declared = { id, name, role, ...bounds, enabled, certificateNames, subjects, tokens };
  return withoutDefaults(declared, { ...operatorDefaults, enabled: null });
}
