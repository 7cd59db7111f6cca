import { formerEndOf } from '../../model/material.ts';
import type { LabelSelector } from '../../model/labels.ts';
import type { ManagedCredential, Stored } from '../resource.ts';
import { fillPage, type Piece } from './fill-page.ts';
import type { DuePlace, DueSource, DueSpan } from './due-source.ts';
import { pagesOf, type ResourceStore, type UsageSource } from './resource-store.ts';
import type { ShownCredential } from './shown-credential.ts';

/** What a page is read from. */
export interface DueSources {
  readonly resources: Pick<ResourceStore, 'list'>;
  readonly usage: UsageSource;
  readonly due: DueSource;
}

/** Which credentials, found by what is due. */
export interface DueWish {
  /** One behind the other; none holds what another one holds. */
  readonly spans: readonly DueSpan[];
  /** Those of consumers that carry these labels; undefined for all. */
  readonly labels: LabelSelector | undefined;
  readonly isWanted: (credential: ManagedCredential) => boolean;
  readonly isUseWanted: (shown: ShownCredential) => boolean;
}

/** Looked at together at most, and at least. */
const MOST_AT_ONCE = 500;
const LEAST_AT_ONCE = 20;

/**
 * Reads the credentials of a wish, the first that is due first: at most `limit`, those behind `from`, and behind which
 * place the next page begins; null for the last. What it costs does not depend on how many others there are.
 */
export async function readDuePage(
  sources: DueSources,
  wish: DueWish,
  { from, limit, nowSeconds }: { readonly from: DuePlace | null; readonly limit: number; readonly nowSeconds: number },
): Promise<{ readonly shown: readonly ShownCredential[]; readonly next: DuePlace | null }> {
  const pieces = piecesOf(sources, wish, { from, most: limit + 1, nowSeconds });
  const { shown, next } = await fillPage(pieces, { limit, placeOf: ({ place }) => place });
  return { shown: shown.map(({ credential }) => credential), next };
}

/** A credential, and where it stands. */
interface Placed {
  readonly place: DuePlace;
  readonly credential: ShownCredential;
}

async function* piecesOf(
  sources: DueSources,
  { spans, ...wish }: DueWish,
  { from, most, nowSeconds }: { readonly from: DuePlace | null; readonly most: number; readonly nowSeconds: number },
): AsyncGenerator<Piece<Placed, DuePlace>> {
  const atOnce = Math.min(Math.max(most, LEAST_AT_ONCE), MOST_AT_ONCE);
  const first = from === null ? 0 : spans.findIndex(({ order }) => order === from.order);
  for (const span of spans.slice(first)) {
    const behind = span.order === from?.order ? from : null;
    const isWanted = (credential: ManagedCredential): boolean =>
      wish.isWanted(credential) &&
      !(span.order === 'retiring' && hasFormer(credential, nowSeconds)) &&
      !(span.order === 'certificate' && isAmong(spans, credential.expiresAt));
    for await (const places of pagesOf(sources.due.list({ ...span, behind, most: atOnce }), atOnce)) {
      const last = places.at(-1);
      if (last === undefined) continue;
      yield { chosen: await choose(sources, places, { ...wish, isWanted }), lookedAt: places.length, last };
    }
  }
}

/** Whether it stands among those that end themselves. */
function isAmong(spans: readonly DueSpan[], expiresAt: number | null): boolean {
  const end = spans.find(({ order }) => order === 'end');
  if (end === undefined || expiresAt === null) return false;
  return expiresAt * 1000 > end.afterMs && expiresAt * 1000 <= end.untilMs;
}

/** Whether it stands among those with a former secret or key. */
function hasFormer({ material }: ManagedCredential, nowSeconds: number): boolean {
  return (formerEndOf(material) ?? 0) > nowSeconds;
}

async function choose(
  { resources, usage }: DueSources,
  places: readonly DuePlace[],
  { labels, isWanted, isUseWanted }: Omit<DueWish, 'spans'>,
): Promise<readonly Placed[]> {
  const wanted = new Map<string, Stored<ManagedCredential>>();
  for await (const stored of resources.list('credential', { ids: places.map(({ id }) => id) })) {
    if (isWanted(stored.resource)) wanted.set(stored.resource.id, stored);
  }
  const isReached = await reachedOwners(resources, labels, wanted.values());
  const uses = await usage.usageOf([...wanted.keys()]);
  return places.flatMap((place): readonly Placed[] => {
    const stored = wanted.get(place.id);
    if (stored === undefined || !isReached(stored.resource.consumerId)) return [];
    const credential = { stored, usage: uses.get(place.id) ?? null };
    return isUseWanted(credential) ? [{ place, credential }] : [];
  });
}

async function reachedOwners(
  resources: Pick<ResourceStore, 'list'>,
  labels: LabelSelector | undefined,
  credentials: Iterable<Stored<ManagedCredential>>,
): Promise<(consumerId: string) => boolean> {
  if (labels === undefined) return () => true;
  const ids = [...new Set([...credentials].map(({ resource }) => resource.consumerId))];
  const reached = new Set<string>();
  for await (const { resource } of resources.list('consumer', { ids, labels })) reached.add(resource.id);
  return (consumerId) => reached.has(consumerId);
}
