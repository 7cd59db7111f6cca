import { isDeepStrictEqual } from 'node:util';
import { readPlain, type Reader } from '../../../model/document/read-plain.ts';
import { readConsumer } from '../../consumer.ts';
import { declareWholeResource } from '../../declare-resource.ts';
import type { Declared } from '../../declared.ts';
import { readEndpoint } from '../../endpoint.ts';
import { readGrant } from '../../grant.ts';
import { readIssuerAlone } from '../../issuer.ts';
import { readPlan } from '../../plan.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resource.ts';
import { readSides } from '../audit/event-sides.ts';
import { compareDeclared } from '../compare-declared.ts';
import type { AuditEvent } from '../resource-store.ts';
import { applyWish } from '../wish.ts';
import { changedSince, changeOf, type EventRevert, goneSince, mergeBack, refusedToday } from './merge-back.ts';
import { revertCredential } from './revert-credential.ts';
import type { RevertWords } from './revert-words.ts';

/** Plans one event back, on the resource that the store has now. */
export function revertEvent(
  event: AuditEvent,
  current: Stored<ResourceOf[ResourceKind]> | null,
  words: RevertWords,
): EventRevert {
  if (event.refused !== undefined) return { left: NOTHING_CHANGED };
  if (event.kind === 'credential') {
    return revertCredential(event, current as Stored<ResourceOf['credential']> | null, words);
  }
  if (event.kind === 'replica') return { left: REPLICA };
  // The event has no hashes of tokens, and a role that was taken back is given again on purpose only.
  if (event.kind === 'operator') return { conflict: `${OPERATOR} ${words.changeOperator}` };
  return revertPlain(event.kind, event, current as Stored<ResourceOf[PlainKind]> | null);
}

/** The kinds of which an event holds everything. */
type PlainKind = Exclude<ResourceKind, 'credential' | 'operator'>;

const NOTHING_CHANGED = 'the event is of a request that was refused: it changed nothing';

const REPLICA = 'a replica that was forgotten reports again by itself, as long as it runs';

const OPERATOR = 'a change of an operator is not undone by the audit trail; make it with';

const readers: { readonly [K in PlainKind]: Reader<ResourceOf[K]> } = {
  endpoint: readEndpoint,
  consumer: readConsumer,
  grant: readGrant,
  plan: readPlan,
  issuer: readIssuerAlone,
};

function revertPlain<K extends PlainKind>(
  kind: K,
  event: AuditEvent,
  current: Stored<ResourceOf[K]> | null,
): EventRevert {
  const { before, after } = readSides(event);
  const now = current === null ? null : declareWholeResource(kind, current.resource);
  if (now === null) {
    if (before === null) return { holds: true };
    if (after !== null) return { conflict: goneSince(event) };
    return changeTo(kind, event, before, null, null);
  }
  if (after === null || before === null) {
    // What another version wrote is compared as this one would write it.
    const there = normalize(kind, after ?? before ?? {});
    if (isDeepStrictEqual(now, there)) {
      return before === null ? { change: changeOf(event, current, null), note: null } : { holds: true };
    }
    return { conflict: changedSince(event, [...compareDeclared(there, now)]) };
  }
  const merged = mergeBack(event, { before, after }, now);
  if ('conflict' in merged) return merged;
  if (Object.keys(merged.wish).length === 0) return { holds: true };
  return changeTo(kind, event, applyWish(now, merged.wish), current, merged.note);
}

function changeTo<K extends PlainKind>(
  kind: K,
  event: AuditEvent,
  declared: Declared,
  current: Stored<ResourceOf[K]> | null,
  note: string | null,
): EventRevert {
  const stored = current === null ? undefined : declareWholeResource(kind, current.resource);
  const read = readPlain<ResourceOf[K]>(declared, readers[kind], stored);
  if ('problems' in read) return { conflict: refusedToday(event, read.problems) };
  return { change: changeOf(event, current, read.value), note };
}

function normalize(kind: PlainKind, declared: Declared): Declared {
  const read = readPlain<ResourceOf[PlainKind]>(declared, readers[kind], declared);
  return 'value' in read ? declareWholeResource(kind, read.value) : declared;
}
