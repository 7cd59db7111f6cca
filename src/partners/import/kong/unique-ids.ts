import { createHash } from 'node:crypto';
import { ID_PATTERN } from '../../../model/document/fields.ts';

const MAX_ID_LENGTH = 63;

/** Characters of the hash that distinguishes names which make the same id. */
const HASH_CHARACTERS = 8;

/** Something that gets an id of its own. */
export interface Named {
  readonly name: string;
  /** What distinguishes two of the same name; stays the same while the thing does. */
  readonly identity: string;
}

/**
 * Gives each thing an id of the form `^[a-z0-9][a-z0-9-]{0,62}$`, in the same order: its name, where that is one, else
 * the name with other characters replaced. Names that would make the same id get a hash of their identity, whatever
 * their order, so that ids stay when the file is sorted or other entries come and go.
 */
export function uniqueIds(things: readonly Named[]): readonly string[] {
  const bySlug = new Map<string, number>();
  for (const { name } of things) bySlug.set(slugOf(name), (bySlug.get(slugOf(name)) ?? 0) + 1);
  const exact = new Map<string, number>();
  for (const { name } of things) exact.set(name, (exact.get(name) ?? 0) + 1);
  const taken = new Set<string>();
  const ids = new Array<string>(things.length).fill('');
  const place = (index: number, id: string): void => {
    taken.add(id);
    ids[index] = id;
  };
  for (const [index, { name }] of things.entries()) {
    const slug = slugOf(name);
    const isOwn = bySlug.get(slug) === 1 || (slug === name && exact.get(name) === 1);
    if (isOwn && slug !== '') place(index, slug);
  }
  for (const [index, { name, identity }] of things.entries()) {
    if (ids[index] !== '') continue;
    for (let round = 0; ; round += 1) {
      const id = withHash(slugOf(name), round === 0 ? identity : `${identity}\n${String(round)}`);
      if (taken.has(id)) continue;
      place(index, id);
      break;
    }
  }
  return ids;
}

/** A text as an id; empty when nothing of it can stand in one. */
export function slugOf(text: string): string {
  if (ID_PATTERN.test(text)) return text;
  const slug = text
    .slice(0, 4 * MAX_ID_LENGTH)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_ID_LENGTH);
  return slug.endsWith('-') ? slug.slice(0, -1) : slug;
}

function withHash(slug: string, identity: string): string {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_CHARACTERS);
  const head = slug.slice(0, MAX_ID_LENGTH - HASH_CHARACTERS - 1);
  return head === '' ? `k${hash}` : `${head}-${hash}`;
}
