import { isDeepStrictEqual } from 'node:util';
import { readPlain } from '../../../model/document/read-plain.ts';
import { materialFacts } from '../../../model/material.ts';
import { readCredential } from '../../credential.ts';
import { declaredFields, pickFields } from '../../credential-fields.ts';
import { materialKindIn, methodsIn } from '../../credential-material.ts';
import { declareWholeResource } from '../../declare-resource.ts';
import type { Declared } from '../../declared.ts';
import type { ManagedCredential, Stored } from '../../resource.ts';
import { type EventSides, readSides } from '../audit/event-sides.ts';
import { compareDeclared } from '../compare-declared.ts';
import type { AuditEvent } from '../resource-store.ts';
import { applyWish } from '../wish.ts';
import {
  changedSince,
  changeOf,
  type EventRevert,
  goneSince,
  mergeBack,
  refusedToday,
  subjectOf,
} from './merge-back.ts';
import type { RevertWords } from './revert-words.ts';

/**
 * What rotates, by a command, over the API or in the console. Its events do not come back: a former secret is gone, or
 * ends when its grace period does.
 */
const ROTATION = /^(?:(?:api|console) )?credential rotate$/;

/** The fields of a credential that no secret hangs on. */
const REVERTIBLE: ReadonlySet<string> = new Set(Object.keys(declaredFields));

/**
 * Plans an event of a credential back. Secrets are in no event, and an App Key is never given twice (spec §1): what was
 * deleted or rotated stays so.
 */
export function revertCredential(
  event: AuditEvent,
  current: Stored<ManagedCredential> | null,
  words: RevertWords,
): EventRevert {
  const sides = readSides(event);
  const { before, after } = sides;
  if (ROTATION.test(event.action)) return { left: rotated(event, after ?? {}) };
  if (before === null) return current === null ? { holds: true } : revertIssue(event, after ?? {}, current);
  if (after === null) return current === null ? { left: deleted(event, before, words) } : { holds: true };
  if (current === null) return { conflict: goneSince(event) };
  return revertEdit(event, { ...sides, before, after }, current);
}

/** Only of a credential that is still as it was issued: a secret that came since would go unseen. */
function revertIssue(event: AuditEvent, after: Declared, current: Stored<ManagedCredential>): EventRevert {
  const now = declareWholeResource('credential', current.resource);
  const isUntouched = current.revision === 1 && current.createdAt === Math.floor(event.atMs / 1000);
  if (isUntouched && isDeepStrictEqual(now, after)) return { change: changeOf(event, current, null), note: null };
  return { conflict: changedSince(event, [...compareDeclared(after, now)]) };
}

function revertEdit(
  event: AuditEvent,
  sides: EventSides & { readonly before: Declared; readonly after: Declared },
  current: Stored<ManagedCredential>,
): EventRevert {
  const { resource } = current;
  const isRevocation = sides.before['state'] !== 'revoked' && sides.after['state'] === 'revoked';
  const changed = [...compareDeclared(sides.before, sides.after), ...sides.secrets].map(({ path }) => path);
  const others = changed.filter((path) => !REVERTIBLE.has(path));
  const endsFormer = isRevocation && others.length > 0 && others.every((path) => path.startsWith('retiring'));
  if (others.length > 0 && !endsFormer) return { left: secretsChanged(event, resource) };
  const now = declareWholeResource('credential', resource);
  const own = { before: revertible(sides.before), after: revertible(sides.after) };
  const merged = mergeBack(event, own, revertible(now));
  if ('conflict' in merged) return merged;
  if (Object.keys(merged.wish).length === 0) return { holds: true };
  const read = readPlain(
    // Its reader takes it as its consumer lists it.
    applyWish(now, { ...merged.wish, consumer: undefined }),
    (raw, place, problems) =>
      readCredential(raw, place, resource.consumerId, {
        problems,
        isComplete: false,
        readSecret: noSecret,
        readKeyFile: noSecret,
      }).value,
  );
  if ('problems' in read) return { conflict: refusedToday(event, read.problems) };
  const note = endsFormer
    ? `the former ${materialFacts[resource.material.kind].rotated} of ${subjectOf(event)} stays removed`
    : merged.note;
  return { change: changeOf(event, current, { ...resource, ...pickFields(read.value) }), note };
}

function revertible(declared: Declared): Declared {
  return Object.fromEntries(Object.entries(declared).filter(([key]) => REVERTIBLE.has(key)));
}

function noSecret(): { fault: string } {
  return { fault: 'cannot be read here' };
}

function deleted(event: AuditEvent, before: Declared, { issue }: RevertWords): string {
  const [method = 'hmac'] = methodsIn(before);
  const { secret, appKey } = materialFacts[materialKindIn(before)];
  const isGone = `its ${secret} is in no event${appKey === 'public' ? ', and its App Key is never given again' : ''}`;
  const what =
    appKey === 'derived'
      ? 'only edits and revocations are reverted'
      : materialKindIn(before) === 'public-key'
        ? 'its App Key is never given again'
        : isGone;
  const instead = issue(String(before['consumer']), method);
  return `the ${subjectOf(event)} does not come back: ${what}. Issue a new one: ${instead}`;
}

function rotated(event: AuditEvent, after: Declared): string {
  if (materialFacts[materialKindIn(after)].appKey === 'derived') {
    return `the rotation of the ${subjectOf(event)} cannot be reverted: the second credential may be in use. Rotate again, with the claims or the certificate that are to hold`;
  }
  if (materialKindIn(after) === 'public-key') {
    return `the rotation of the ${subjectOf(event)} cannot be reverted: the new key may be in use. Rotate again, with the key that is to hold`;
  }
  return `the rotation of the ${subjectOf(event)} cannot be reverted: former secrets are in no event. Rotate again for another secret`;
}

function secretsChanged(event: AuditEvent, { material }: ManagedCredential): string {
  if (materialFacts[material.kind].appKey === 'derived') {
    return `the ${subjectOf(event)} got other claims, another certificate or other methods, which does not come back. Rotate it with those that are to hold`;
  }
  if (material.kind === 'public-key') {
    return `the ${subjectOf(event)} got another public key, another App Key or other methods, which does not come back. Rotate it with the key that is to hold`;
  }
  return `the ${subjectOf(event)} got other secrets, another App Key or other methods, and the former secrets are in no event. Rotate it for a new secret`;
}
