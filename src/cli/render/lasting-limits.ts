import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../base/environment.ts';
import { replaceInvisible } from '../../model/document/source-text.ts';
import { type Lasting, noteOnLasting } from '../../check/limit/lasting-limits.ts';
import type { Change } from '../../resources/changes/change.ts';
import { describeGrant } from '../../resources/grant.ts';

/** What to say of changes that set limits which a restart cuts short; null for nothing. */
export function noteOnLimits(changes: readonly Change[], environment: Environment): string | null {
  const holders = changes.flatMap((change) => {
    const [before, after] = limitsOf(change);
    return after === null || isDeepStrictEqual(before, after) ? [] : [{ name: nameOf(change), limits: after }];
  });
  return noteOnLasting(holders, environment);
}

/** Those before and after a change; null for none. */
function limitsOf({ kind, before, after }: Change): readonly [readonly Lasting[] | null, readonly Lasting[] | null] {
  return kind === 'endpoint' || kind === 'grant' || kind === 'plan'
    ? [before?.resource.limits ?? null, after?.limits ?? null]
    : [null, null];
}

function nameOf({ kind, id, after }: Change): string {
  return kind === 'grant' && after !== null ? replaceInvisible(describeGrant(after)) : `${kind} ${id}`;
}
