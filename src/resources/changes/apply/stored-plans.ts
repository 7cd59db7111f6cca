import type { PlacedDocument } from '../../parse-document.ts';
import { placeIn } from '../../../model/document/problem-log.ts';
import { carries } from '../../../model/labels.ts';
import { planBelongsTo } from '../../../model/plan.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { Planning } from './apply-plan.ts';

/**
 * Reports plans of a document that meet stored ones: with the priority of one that the document does not name and that
 * stays, or, with a selector, with the id of one that others have.
 */
export async function checkStoredPlans(
  { plans, problems }: PlacedDocument,
  store: ResourceStore,
  { isPruning, selector }: Planning,
): Promise<void> {
  if (plans.length === 0) return;
  const placeOf = new Map(plans.map(({ value, place }) => [value.id, place]));
  const placeAt = new Map(plans.map(({ value, place }) => [value.priority, place]));
  for await (const { resource } of store.list('plan')) {
    const isOwn = selector === undefined || planBelongsTo(resource, selector);
    const named = placeOf.get(resource.id);
    if (named !== undefined && !isOwn) {
      const message = `the plan "${resource.id}" in the store belongs to others; take another id`;
      problems.report(placeIn(named, 'id'), message);
    }
    const place = placeAt.get(resource.priority);
    if (named !== undefined || place === undefined || (isPruning && isOwn)) continue;
    const who = carries({}, selector ?? {}) ? `the plan "${resource.id}"` : 'another plan';
    problems.report(placeIn(place, 'priority'), `${who} in the store has this priority already; take another one`);
  }
}
