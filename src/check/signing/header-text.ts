import { type Refusal, refuse } from '../refusal.ts';
import { mayHaveLostBytes, type SignableRequest } from './signable-request.ts';

const HOST = 'host';
/** Never part of a header value (RFC 9110 §5.5), and a line feed would let one value pass for two lines. */
const LINE_BREAKER = /[\0\r\n]/;
const SHOWN_NAME_CHARACTERS = 64;

/**
 * The text that is signed for a header, by its lower-case name: its values, joined by `, `. `host` is the authority.
 * Null when the request has none of that name.
 */
export function headerText(
  { authority, headers }: Pick<SignableRequest, 'authority' | 'headers'>,
  name: string,
): string | null {
  if (name === HOST) return authority === '' ? null : authority;
  const values = headers.valuesOf(name);
  const [first] = values;
  if (first === undefined) return null;
  return values.length === 1 ? first : values.join(', ');
}

/** The same, each value apart; empty when the request has none of that name. */
export function headerLines(
  { authority, headers }: Pick<SignableRequest, 'authority' | 'headers'>,
  name: string,
): readonly string[] {
  if (name !== HOST) return headers.valuesOf(name);
  return authority === '' ? [] : [authority];
}

/** Why a text cannot be signed for a header (`MALFORMED_REQUEST`): a line break or lost bytes; null when it can. */
export function refuseUnsignableText(request: SignableRequest, name: string, text: string): Refusal | null {
  if (LINE_BREAKER.test(text)) return refuse('MALFORMED_REQUEST', `the header ${shownName(name)} has a line break`);
  if (!mayHaveLostBytes(request, text)) return null;
  return refuse(
    'MALFORMED_REQUEST',
    `the signed header ${shownName(name)} has a "!", which may stand for a byte that Envoy could not show`,
  );
}

/** The name of a signed header for a log: names are tokens, so that only their length needs care. */
export function shownName(name: string): string {
  return name.length <= SHOWN_NAME_CHARACTERS ? name : `${name.slice(0, SHOWN_NAME_CHARACTERS)}…`;
}
