import { isAdministrator } from '../../model/label-owners.ts';
import { MAX_TOKENS, type Operator } from '../../model/operator.ts';
import { type PlainProblem, readPlain } from '../../model/document/read-plain.ts';
import { type Declared, declareTime } from '../declared.ts';
import { declareOperator, readOperator } from '../operator.ts';
import type { Stored } from '../resource.ts';
import type { Change, Planned } from './change.ts';
import type { IssuedToken } from './operator-token.ts';
import { applyWish, type Wish } from './wish.ts';

/** The management API shows each operator itself under this name. */
const OWN_NAME = 'me';
const IS_OWN_NAME = `"${OWN_NAME}" is taken: /v1/operators/me is the caller`;

/** Plans a new operator with a first token, or none; `existing` is the one that has the id already. */
export function planNewOperator(
  id: string,
  wish: Wish,
  issued: IssuedToken | null,
  existing: Stored<Operator> | null,
): Planned {
  if (existing !== null) {
    return { conflict: `the operator "${id}" already exists`, remedy: { kind: 'edit', resource: 'operator', id } };
  }
  if (id === OWN_NAME) return { problems: [{ path: 'id', message: IS_OWN_NAME }] };
  const planned = planFrom({ id }, wish, null);
  if (issued === null || !('changes' in planned)) return planned;
  return withToken(planned, issued);
}

/** Plans a change of an operator, who keeps the tokens. */
export function planOperatorEdit(current: Stored<Operator>, wish: Wish): Planned {
  return planFrom(declareOperator({ ...current.resource, tokens: [] }), wish, current);
}

/** Plans the removal of an operator, whose tokens and sessions are refused from then on. */
export function planOperatorRemoval(current: Stored<Operator>): readonly Change[] {
  return [{ kind: 'operator', id: current.resource.id, before: current, after: null }];
}

/** How much the clock of who issued a token may differ, in seconds. */
const TOKEN_CLOCK_SECONDS = 300;

/** Why an operator that was planned elsewhere cannot be: a wrong id, or a token that no command issues; or null. */
export function findOperatorFault(after: Operator, stored: Operator | null, nowSeconds: number): PlainProblem | null {
  if (after.id === OWN_NAME) return { path: 'id', message: IS_OWN_NAME };
  if (after.tokens.length > MAX_TOKENS) return { path: 'tokens', message: `are more than ${String(MAX_TOKENS)}` };
  const known = new Map(stored?.tokens.map((token) => [token.id, token]));
  for (const issued of after.tokens) {
    const { id, hash, createdAt, expiresAt } = issued;
    if (known.get(id) === issued) continue;
    if (known.has(id) || hash.length === 0)
      return { path: 'tokens', message: `a token ${id} is not there, or is another` };
    const isNow = Math.abs(createdAt - nowSeconds) <= TOKEN_CLOCK_SECONDS;
    if (!isNow) return { path: 'tokens', message: 'the clock of the caller differs by more than five minutes' };
    if (expiresAt <= createdAt || expiresAt - createdAt > MAX_TOKEN_LIFETIME) {
      return { path: 'tokens', message: 'a token works for a year at most, and ends after it begins' };
    }
  }
  return new Set(after.tokens.map(({ id }) => id)).size === after.tokens.length
    ? null
    : { path: 'tokens', message: 'have one id twice' };
}

/** Plans a further token. Tokens that have expired make room. */
export function planNewToken(current: Stored<Operator>, issued: IssuedToken): Planned {
  const { resource } = current;
  const live = resource.tokens.filter(({ expiresAt }) => issued.token.createdAt < expiresAt);
  if (live.length >= MAX_TOKENS) {
    return { conflict: `the operator "${resource.id}" has ${String(MAX_TOKENS)} tokens already; revoke one` };
  }
  const after = { ...resource, tokens: live };
  return withToken({ changes: [{ kind: 'operator', id: resource.id, before: current, after }] }, issued);
}

/** Plans that a token is refused from now on; null when the operator has no such token. */
export function planTokenRevocation(current: Stored<Operator>, tokenId: string): readonly Change[] | null {
  const { resource } = current;
  const tokens = resource.tokens.filter(({ id }) => id !== tokenId);
  if (tokens.length === resource.tokens.length) return null;
  return [{ kind: 'operator', id: resource.id, before: current, after: { ...resource, tokens } }];
}

function planFrom(declared: Declared, wish: Wish, before: Stored<Operator> | null): Planned {
  const read = readPlain(applyWish(declared, wish), readOperator, before === null ? undefined : declared);
  if ('problems' in read) return read;
  const after = { ...read.value, tokens: before?.resource.tokens ?? [] };
  return { changes: [{ kind: 'operator', id: after.id, before, after }] };
}

/** A year, also one with a leap day, in seconds. */
const MAX_TOKEN_LIFETIME = 366 * 86_400;

function withToken({ changes }: { readonly changes: readonly Change[] }, { token }: IssuedToken): Planned {
  if (token.expiresAt <= token.createdAt) {
    const message = `${declareTime(token.expiresAt)} is over; the token would never work`;
    return { problems: [{ path: 'expires', message }] };
  }
  if (token.expiresAt - token.createdAt > MAX_TOKEN_LIFETIME) {
    return { problems: [{ path: 'expires', message: 'a token works for a year at most, such as 365d' }] };
  }
  return {
    changes: changes.map((change) =>
      change.kind === 'operator' && change.after !== null
        ? { ...change, after: { ...change.after, tokens: [...change.after.tokens, token] } }
        : change,
    ),
  };
}

/** Why changes are refused that {@link takesLastAdmin}. */
export const LAST_ADMIN = 'this is the last enabled admin without labels: no one else could manage operators';

/** Whether changes remove the last enabled admin without labels: the only one who can manage operators. */
export function takesLastAdmin(operators: readonly Operator[], changes: readonly Change[]): boolean {
  const after = new Map(operators.map((operator) => [operator.id, operator]));
  for (const change of changes) {
    if (change.kind !== 'operator') continue;
    if (change.after === null) after.delete(change.id);
    else after.set(change.id, change.after);
  }
  return operators.some(isManager) && ![...after.values()].some(isManager);
}

function isManager(operator: Operator): boolean {
  return operator.enabled && isAdministrator(operator);
}
