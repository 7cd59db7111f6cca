import { isDeepStrictEqual } from 'node:util';
import type { PlainProblem } from '../../model/document/read-plain.ts';
import { unseenTexts } from '../../model/document/unseen-texts.ts';
import type { Operator } from '../../model/operator.ts';
import type { Change, RevertedEvent } from '../../resources/changes/change.ts';
import { findOperatorFault } from '../../resources/changes/plan-operator.ts';
import { readSentCredential } from '../../resources/changes/wire/credential-record.ts';
import { type PlainKind, readDeclared } from '../../resources/changes/wire/record.ts';
import { declareWholeResource, idOfResource } from '../../resources/declare-resource.ts';
import type { Declared } from '../../resources/declared.ts';
import type { ManagedCredential, ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';

/** A change as it came over the network. */
export interface Sent {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly before: number | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly keeps?: Readonly<Record<string, string>> | undefined;
  readonly reverts?: RevertedEvent | undefined;
}

type Read = { readonly change: Change } | { readonly problems: readonly PlainProblem[] };

/**
 * The change on what the store has, with the revision that it was planned on: another one is for the store to refuse.
 * Everything that is written is read by the rules of declarative files.
 */
export function readSentChange(
  { kind, id, before: revision, after, keeps = {}, reverts }: Sent,
  stored: Stored<ResourceOf[ResourceKind]> | null,
  nowSeconds: number,
): Read {
  const before = stored === null ? null : { ...stored, revision: revision ?? 0 };
  const undone = reverts === undefined ? {} : { reverts };
  if (after === null) {
    if (before === null) return { problems: [{ path: 'after', message: 'is missing: there is nothing to delete' }] };
    return { change: { kind, id, before, after: null, ...undone } as unknown as Change };
  }
  const read = readAfter(kind, after, keeps, stored, nowSeconds);
  if ('problems' in read) return read;
  if (idOfResource(read.value) !== id) return { problems: [{ path: 'id', message: 'is not that of the change' }] };
  return { change: { kind, id, before, after: read.value, ...undone } as unknown as Change };
}

function readAfter(
  kind: ResourceKind,
  after: Readonly<Record<string, unknown>>,
  keeps: Readonly<Record<string, string>>,
  stored: Stored<ResourceOf[ResourceKind]> | null,
  nowSeconds: number,
): { readonly value: ResourceOf[ResourceKind] } | { readonly problems: readonly PlainProblem[] } {
  const there = stored === null ? undefined : declareWholeResource(kind, stored.resource);
  const unseen = unseenTexts(newTexts(after, there ?? {}));
  if (unseen.length > 0) return { problems: unseen };
  if (kind === 'credential') {
    return readSentCredential(after, keeps, (stored?.resource ?? null) as ManagedCredential | null);
  }
  const read = readDeclared<PlainKind>(kind, after, there);
  if ('problems' in read || kind !== 'operator') return read;
  return withTokens(read.value as Operator, (stored?.resource ?? null) as Operator | null, nowSeconds);
}

/** What is written anew. What the store has may be older than the rule, and secrets and PEM have rules of their own. */
function newTexts(after: Declared, there: Declared): Declared {
  const isNew = ([name, value]: readonly [string, unknown]): boolean =>
    !OWN_RULES.includes(name) && !isDeepStrictEqual(value, there[name]);
  return Object.fromEntries(Object.entries(after).filter(isNew));
}

const OWN_RULES: readonly string[] = ['certificate', 'appKey', 'appSecret', 'retiringSecret'];

/** An operator with the hashes of the tokens that are kept. */
function withTokens(
  operator: Operator,
  stored: Operator | null,
  nowSeconds: number,
): { readonly value: Operator } | { readonly problems: readonly PlainProblem[] } {
  const kept = new Map(stored?.tokens.map((token) => [token.id, token]));
  const tokens = operator.tokens.map((token) => (token.hash === '' ? (kept.get(token.id) ?? token) : token));
  const fault = findOperatorFault({ ...operator, tokens }, stored, nowSeconds);
  return fault === null ? { value: { ...operator, tokens } } : { problems: [fault] };
}
