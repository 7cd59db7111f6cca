import { type Refusal, refuse } from '../refusal.ts';
import { isToken } from '../../base/text/http-grammar.ts';

/**
 * What the signature methods read of a request. All text is one character a byte (latin1), so that what is signed is
 * what was received, whatever bytes it holds.
 */
export interface SignableRequest {
  readonly method: string;
  /** The raw `:path`, query included. */
  readonly path: string;
  /** The raw `:authority`; `''` for none. */
  readonly authority: string;
  /** `HTTP/1.1`, `HTTP/2` or what else Envoy reports. */
  readonly protocol: string;
  /** The whole body as received. Only read, never changed. */
  readonly body: Buffer;
  readonly headers: SignableHeaders;
  /** As that of `BodyMemory`; without it, new memory is taken. */
  takeMemory?(bytes: number): Buffer;
}

/** The headers of a request as signatures see them: byte for byte, each value apart. */
export interface SignableHeaders {
  /** False when Envoy wrote `!` for the header bytes that it could not show (spec §2.1). */
  readonly isRaw: boolean;
  /** How many headers there are: at least one for each name that has a value. */
  readonly count: number;
  /** Every value of a header, by its lower-case name, in the order received and without surrounding white space. */
  valuesOf(name: string): readonly string[];
}

const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** What Envoy writes in the map form of headers for a byte that it cannot show. */
const LOSS_MARK = '!';

/**
 * Checks that method and path can stand in a request line without doubt, and that no byte of the path was lost
 * (spec §2.1: on signature endpoints a `!` cannot be trusted in the map form). Null, or `MALFORMED_REQUEST`.
 */
export function checkTarget(request: SignableRequest): Refusal | null {
  const { method, path } = request;
  if (!isToken(method) || !VISIBLE_ASCII.test(path)) {
    return refuse('MALFORMED_REQUEST', 'the method or the path holds bytes that cannot stand in a request line');
  }
  if (mayHaveLostBytes(request, path)) {
    return refuse('MALFORMED_REQUEST', 'the path has a "!", which may stand for a byte that Envoy could not show');
  }
  return null;
}

/** Whether a text of this request may have lost bytes on its way from Envoy. */
export function mayHaveLostBytes(request: SignableRequest, text: string): boolean {
  return !request.headers.isRaw && text.includes(LOSS_MARK);
}

/** The query of a request target: what follows its first `?`; `''` when nothing does. */
export function queryOf(path: string): string {
  const mark = path.indexOf('?');
  return mark === -1 ? '' : path.slice(mark + 1);
}

/** The request target with another query; without `?` when the query is empty. All other bytes stay. */
export function withQuery(path: string, query: string): string {
  const mark = path.indexOf('?');
  const bare = mark === -1 ? path : path.slice(0, mark);
  return query === '' ? bare : `${bare}?${query}`;
}
