import type { ClientSession, Db } from 'mongodb';
import type { ClaimNames } from '../../../check/store/issuer-table.ts';
import { collectionOf } from '../documents.ts';

/** The claims that a credential names, as a database has them: the sorted names as JSON. */
export interface StoredClaimNames {
  readonly issuerId: string;
  readonly names: string;
}

/** Reads the different sets of claims of issuers, by an index with an entry for each. */
export async function readClaimNames(
  db: Db,
  issuerIds: readonly string[],
  options: { readonly session?: ClientSession; readonly signal?: AbortSignal; readonly readPreference?: 'primary' },
): Promise<readonly StoredClaimNames[]> {
  const found: StoredClaimNames[] = [];
  for (const issuerId of issuerIds) {
    const sets: readonly unknown[] = await collectionOf(db, 'credentials').distinct(
      'claimNames',
      { issuer: issuerId },
      { ...options, readConcern: { level: 'majority' } },
    );
    for (const names of sets) if (typeof names === 'string') found.push({ issuerId, names });
  }
  return found;
}

/** The different sets of claims of all issuers, kept up to date change by change. */
export class ClaimNamesDirectory {
  #known = new Map<string, Map<string, readonly string[]>>();
  /** What came while all were being read, which the reading may not have seen. */
  #meanwhile: StoredClaimNames[] = [];

  get isEmpty(): boolean {
    return this.#known.size === 0;
  }

  /** Whether it is new. What is no list of names, as only a hand writes it, is passed over. */
  add(claims: StoredClaimNames): boolean {
    this.#meanwhile.push(claims);
    return this.#note(claims);
  }

  /** To be called before all are read. */
  readingBegins(): void {
    this.#meanwhile = [];
  }

  replaceAll(all: readonly StoredClaimNames[]): void {
    this.#known = new Map();
    for (const claims of [...all, ...this.#meanwhile]) this.#note(claims);
    this.#meanwhile = [];
  }

  read(): ClaimNames {
    return new Map([...this.#known].map(([id, sets]) => [id, [...sets.values()]]));
  }

  #note({ issuerId, names }: StoredClaimNames): boolean {
    const ofIssuer = this.#known.get(issuerId) ?? new Map<string, readonly string[]>();
    if (ofIssuer.has(names)) return false;
    const list = listIn(names);
    if (list === null) return false;
    this.#known.set(issuerId, ofIssuer.set(names, list));
    return true;
  }
}

function listIn(names: string): readonly string[] | null {
  try {
    const list: unknown = JSON.parse(names);
    return Array.isArray(list) && list.every((each) => typeof each === 'string') ? list : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
