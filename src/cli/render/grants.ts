import { type Grant, type GrantTarget, isGroupGrant } from '../../model/grant.ts';
import type { WeighedGrant } from '../../model/grant-in-effect.ts';
import { carries, describeLabels, type Labels } from '../../model/labels.ts';
import { replaceInvisible } from '../../model/document/source-text.ts';
import { formatDistance } from './text.ts';

/** Whose a grant is, in a cell: `acme`, `tier=gold (priority 10)`. */
export function formatHolder(grant: Grant): string {
  if (!isGroupGrant(grant)) return grant.consumerId;
  return `${shownLabels(grant.consumerSelector)} (priority ${String(grant.priority)})`;
}

/** Whose grants are, in a sentence: `globex, acme`, `consumers with tier=gold`. */
export function formatHolders(targets: readonly GrantTarget[]): string {
  return targets
    .map((target) =>
      isGroupGrant(target) ? `consumers with ${shownLabels(target.consumerSelector)}` : target.consumerId,
    )
    .join(', ');
}

/** By which grant a consumer gets in, in a sentence: `its own grant`, `the grant for tier=gold (priority 10)`. */
export function formatBasis(grant: Grant): string {
  return isGroupGrant(grant) ? `the grant for ${formatHolder(grant)}` : 'its own grant';
}

/** Whether a grant counts for a consumer, and why not, in a cell. `all` are those that it was weighed with. */
export function formatOutcome(
  { grant, outcome }: WeighedGrant,
  all: readonly WeighedGrant[],
  labels: Labels,
  nowSeconds: number,
): string {
  switch (outcome) {
    case 'in-effect':
      return 'yes';
    case 'ended':
      return `no: ended ${formatDistance(grant.expiresAt ?? nowSeconds, nowSeconds)}`;
    case 'other-labels':
      return `no: it lacks ${shownLabels(missingLabels(grant, labels))}`;
    case 'outranked': {
      const before = all.find((each) => each.outcome === 'in-effect')?.grant;
      if (before === undefined || !isGroupGrant(before)) return 'no: the own grant counts before it';
      return `no: priority ${String(before.priority)} counts before it`;
    }
  }
}

/** Labels hold what an operator wrote: no terminal obeys it. */
function shownLabels(labels: Labels): string {
  return replaceInvisible(describeLabels(labels));
}

function missingLabels(grant: Grant, labels: Labels): Labels {
  if (!isGroupGrant(grant)) return {};
  const missing = Object.entries(grant.consumerSelector).filter(([name, value]) => !carries(labels, { [name]: value }));
  return Object.fromEntries(missing);
}
