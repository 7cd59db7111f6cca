import { ObjectId } from 'mongodb';
import { printable } from '../../../base/text/printable.ts';

/** Why a document cannot be read: it was edited by hand, or sealed with another key. */
export interface DocumentFault {
  readonly collection: string;
  /** The document's `_id` as text that is safe to print. */
  readonly id: string;
  /** Such as `appSecret.nonce`; empty for the document as a whole. */
  readonly field: string;
  /** In words that follow the field, without secrets: `must be true or false`. */
  readonly problem: string;
  /** `unknown-key`: nothing is wrong with the document, but the key ring lacks a key. */
  readonly kind: 'malformed' | 'unknown-key' | 'damaged';
}

/** What a document says, or why it cannot be read. */
export type Mapped<T> = { readonly value: T } | { readonly fault: DocumentFault };

/** A document as the driver gives it: anything can be in it. */
export type RawDocument = Readonly<Record<string, unknown>>;

/** A fault of this document; `malformed` unless it says otherwise. */
export function faultIn(
  collection: string,
  document: RawDocument,
  fault: Pick<DocumentFault, 'field' | 'problem'> & Partial<Pick<DocumentFault, 'kind'>>,
): DocumentFault {
  return { kind: 'malformed', collection, id: describeId(document['_id']), ...fault };
}

/** A fault for people: `credentials "acme-hmac", state: must be one of active, retiring, revoked`. */
export function describeFault({ collection, id, field, problem }: DocumentFault): string {
  return `${collection} ${id}${field === '' ? '' : `, ${field}`}: ${problem}`;
}

/** An `_id` for people and logs; others than Postern may have written anything. */
export function describeId(id: unknown): string {
  if (typeof id === 'string') return `"${printable(id)}"`;
  if (typeof id === 'number' || typeof id === 'boolean' || id === null) return String(id);
  return id instanceof ObjectId ? `ObjectId("${id.toHexString()}")` : `(an _id of type ${typeof id})`;
}
