import type { LabelSelector } from '../../model/labels.ts';
import { isOwnedBy, type OwnedBy } from '../../model/owned-by.ts';

/**
 * A refused request of a known caller, or one that no endpoint took, as operators look it up later. It holds no secret:
 * no query, header, body or token, and of method `key` no App Key. All texts are bounded, and are of callers:
 * `printable` before they are shown.
 */
export interface RefusalRecord {
  /** 24 hexadecimal digits that grow with time; unique over all replicas. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** The one that the caller got; null where none was given. */
  readonly requestId: string | null;
  /** Null for a request to the OAuth2 endpoints, and where no endpoint was found. */
  readonly endpointId: string | null;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** A refusal code, or the error of an OAuth2 endpoint. */
  readonly code: string;
  /** Why, as the log says it. */
  readonly detail: string;
  /** Whether `mode: observe` let the request through. */
  readonly isObserved: boolean;
  /** Null where no endpoint took the request: nobody was looked up then. */
  readonly consumerId: string | null;
  readonly credentialId: string | null;
  /** Where it came from; null where that is not known, or not kept. */
  readonly sourceAddress: string | null;
  /** What the gateway built as string to sign, on endpoints with `signatureHints`; null for none. */
  readonly stringToSign: string | null;
  /**
   * Refusals of the same consumer, or of requests that no endpoint took, that were left out since the one kept before.
   */
  readonly leftOut: number;
  /** The labels that consumer and endpoint both carried then. Absent in what former versions kept: nobody's. */
  readonly ownedBy?: OwnedBy | undefined;
}

/**
 * Refusals of a consumer, or of requests that no endpoint took, that were left out, when none is kept that could say
 * so.
 */
export type LeftOutNote = Pick<RefusalRecord, 'id' | 'atMs' | 'consumerId' | 'leftOut'>;

/** What is kept. */
export type RefusalEntry = RefusalRecord | LeftOutNote;

/** Whether an entry is a refused request, not a count of those left out. */
export function isRecord(entry: RefusalEntry): entry is RefusalRecord {
  return 'code' in entry;
}

/** Which refusals. What is absent does not narrow. */
export interface RefusalSelection {
  /** True for those that no endpoint took. Without it, and without a request id, those of known callers. */
  readonly isUnmatched?: boolean | undefined;
  readonly consumerId?: string | undefined;
  readonly code?: string | undefined;
  readonly endpointId?: string | undefined;
  readonly credentialId?: string | undefined;
  /** The whole of it, or its first characters. */
  readonly requestId?: string | undefined;
  /** Only what belonged, at its time, to those who have these labels. */
  readonly ownedBy?: LabelSelector | undefined;
  /** From then on. */
  readonly sinceMs?: number | undefined;
  /** Up to and with this millisecond. */
  readonly untilMs?: number | undefined;
  /** Only what comes after this one in the list, where a page ended. */
  readonly olderThan?: Pick<RefusalRecord, 'atMs' | 'id'> | undefined;
  /** The newest so many. */
  readonly limit: number;
}

/** Some refusals, and what is not among them. */
export interface FoundRefusals {
  /** Newest first; of one millisecond the one with the highest id first. */
  readonly records: AsyncIterable<RefusalRecord>;
  /** How many refusals of the selected consumer, or of all, were left out in the selected time. */
  countLeftOut(): Promise<number>;
}

/** What was asked remembers no refusals: it leaves them to a database, or is no Postern of this version. */
export class RemembersNone extends Error {
  override readonly name = 'RemembersNone';
}

/** Where refusals are looked up. Rejects with `StoreUnavailable`, and a replica with {@link RemembersNone}. */
export interface RefusalSource {
  find(selection: RefusalSelection): FoundRefusals;
}

/** Whether a refusal is among the selected ones; the limit does not count. */
export function isSelected(record: RefusalRecord, selection: RefusalSelection): boolean {
  const { consumerId, code, endpointId, credentialId, requestId, sinceMs, untilMs, olderThan, ownedBy } = selection;
  return (
    isOfSelectedKind(record, selection) &&
    (ownedBy === undefined || isOwnedBy(record.ownedBy, ownedBy)) &&
    (consumerId === undefined || record.consumerId === consumerId) &&
    (code === undefined || record.code === code) &&
    (endpointId === undefined || record.endpointId === endpointId) &&
    (credentialId === undefined || record.credentialId === credentialId) &&
    (requestId === undefined || (record.requestId?.startsWith(requestId) ?? false)) &&
    (sinceMs === undefined || record.atMs >= sinceMs) &&
    (untilMs === undefined || record.atMs <= untilMs) &&
    (olderThan === undefined || isOlder(record, olderThan))
  );
}

/** Whether it is one that no endpoint took, or one of a known caller, as is selected; a request id selects both. */
export function isOfSelectedKind(
  { consumerId }: Pick<RefusalRecord, 'consumerId'>,
  { isUnmatched = false, requestId }: Pick<RefusalSelection, 'isUnmatched' | 'requestId'>,
): boolean {
  return isUnmatched ? consumerId === null : consumerId !== null || requestId !== undefined;
}

/** Whether a refusal comes after another one in a list of the newest first. */
export function isOlder(
  record: Pick<RefusalRecord, 'atMs' | 'id'>,
  other: Pick<RefusalRecord, 'atMs' | 'id'>,
): boolean {
  return record.atMs < other.atMs || (record.atMs === other.atMs && record.id < other.id);
}
