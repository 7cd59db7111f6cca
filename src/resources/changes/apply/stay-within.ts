import { isGroupGrant } from '../../../model/grant.ts';
import { describeForeign } from '../../check-labels.ts';
import type { PlacedDocument } from '../../parse-document.ts';
import { type Placed, placeIn, type ProblemLog } from '../../../model/document/problem-log.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import { carries, type Labels, type LabelSelector } from '../../../model/labels.ts';
import { findTakenRequests } from '../../../check/route/taken-requests.ts';
import { chunksOf, type ResourceStore } from '../resource-store.ts';

// A document that is applied with a selector changes nothing that belongs to others (list-selected.ts says what belongs
// to whom). Whether what it declares carries the labels, its parser checks; here is what only the store can tell.

/** A stored endpoint, consumer or issuer, and the declared one of the same id. */
interface Meeting {
  readonly kind: 'endpoint' | 'consumer' | 'issuer';
  readonly id: string;
  readonly stored: Labels;
  readonly placed: Placed<unknown>;
}

/** Reports a declared endpoint, consumer or issuer whose id is taken by one that does not carry the selector. */
export function checkTaken({ kind, id, stored, placed }: Meeting, selector: LabelSelector, problems: ProblemLog): void {
  if (carries(stored, selector)) return;
  const isUnlabelled = !Object.keys(selector).some((name) => Object.hasOwn(stored, name));
  const advice = isUnlabelled
    ? `if it is yours, label it there first ("postern ${kind} edit ${id} --label …"), or take another id`
    : 'it belongs to others; take another id';
  problems.report(placeIn(placed.place, 'id'), `the ${kind} "${id}" ${describeForeign(stored, selector)}: ${advice}`);
}

/** Reports declared grants on stored endpoints that do not carry the selector. */
export function checkGrantOwners(
  { endpoints, grants, problems }: PlacedDocument,
  stored: readonly Endpoint[],
  selector: LabelSelector,
): void {
  const declared = new Set(endpoints.map(({ value }) => value.id));
  const foreign = new Map(stored.filter(({ labels }) => !carries(labels, selector)).map((each) => [each.id, each]));
  for (const { value, place } of grants) {
    const endpoint = foreign.get(value.endpointId);
    if (endpoint === undefined || declared.has(endpoint.id)) continue;
    const why = describeForeign(endpoint.labels, selector);
    const message = `the endpoint "${endpoint.id}" ${why}: its grants belong to others, too`;
    problems.report(placeIn(place, 'endpoint'), message);
  }
}

/** Reports declared endpoints that would take requests from endpoints that do not carry the selector. */
export function checkTakenRequests(
  { endpoints, problems }: PlacedDocument,
  changed: readonly Endpoint[],
  { stored, selector }: { readonly stored: readonly Endpoint[]; readonly selector: LabelSelector },
): void {
  const isOfOthers = ({ labels }: Endpoint): boolean => !carries(labels, selector);
  // One whose id others have is reported as such.
  const foreign = new Set(stored.filter(isOfOthers).map(({ id }) => id));
  const own = changed.filter(({ id }) => !foreign.has(id));
  const taken = findTakenRequests(own, stored, isOfOthers);
  if (taken === null) return;
  if (taken === 'too-many') {
    const [first] = endpoints;
    if (first === undefined) throw new Error('no endpoint of the document was compared');
    problems.report(
      first.place,
      'so many hosts, paths and methods cannot be compared with the endpoints of others: apply fewer at once',
    );
    return;
  }
  const { by, from, example } = taken;
  const placed = endpoints.find(({ value }) => value.id === by.id);
  if (placed === undefined) throw new Error(`the endpoint ${by.id} is not in the document`);
  const message = `"${by.id}" would take requests that belong to the endpoint "${from.id}", such as ${example}; it ${describeForeign(from.labels, selector)}: take another path or host`;
  problems.report(placeIn(placed.place, 'match'), message);
}

/** Consumers whose grants are asked for at once. */
const CONSUMERS_AT_ONCE = 500;

/**
 * Reports consumers that pruning would delete although they have grants on endpoints that do not carry the selector:
 * those cannot go with them.
 */
export async function checkGrantsElsewhere(
  deleted: readonly string[],
  { stored, selector }: { readonly stored: readonly Endpoint[]; readonly selector: LabelSelector },
  store: ResourceStore,
  problems: ProblemLog,
): Promise<void> {
  const labelsOf = new Map(stored.map(({ id, labels }) => [id, labels]));
  for (const consumerIds of chunksOf(deleted, CONSUMERS_AT_ONCE)) {
    for await (const { resource } of store.list('grant', { consumerIds })) {
      if (isGroupGrant(resource)) continue;
      const labels = labelsOf.get(resource.endpointId) ?? {};
      if (carries(labels, selector)) continue;
      problems.reportWhole(
        `the consumer "${resource.consumerId}" is left out and would be deleted, but has a grant on the endpoint "${resource.endpointId}", which ${describeForeign(labels, selector)}: have that grant removed first, or keep the consumer`,
      );
    }
  }
}
