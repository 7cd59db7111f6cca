import type { HttpRequest } from '../receive/http-request.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { headerOption } from './check-response.ts';
import type { WireText } from './wire-text.ts';

const CONSUMER_ID = 'x-consumer-id';
const CONSUMER_USERNAME = 'x-consumer-username';
const CREDENTIAL_IDENTIFIER = 'x-credential-identifier';
const LOWER_X = 0x78;
const LOWER_A = 0x61;
const LOWER_C = 0x63;
const SHORTEST_NAME = 'x-consumer-'.length;

/** The headers that tell the back end who calls (spec §4.3). They overwrite what the caller sent under the same names. */
export function identityHeaders({ consumer, credential }: HeldCredential): readonly WireText[] {
  return [
    headerOption(CONSUMER_ID, consumer.id),
    headerOption(CONSUMER_USERNAME, encodeHeaderText(consumer.name ?? consumer.id)),
    headerOption(CREDENTIAL_IDENTIFIER, credential.id),
  ];
}

/**
 * Names of headers that could pass for ours at the back end, in any case and with `_` for `-` (spec §4.3). Those that
 * {@link identityHeaders} overwrites are left out when `isIdentified`: Envoy removes after it sets.
 */
export function findForgedHeaders(request: HttpRequest, isIdentified: boolean): readonly string[] {
  const names = request.headerNames(looksLikeIdentity);
  return isIdentified && names.length > 0 ? names.filter((name) => !isOverwritten(name.toLowerCase())) : names;
}

function isOverwritten(name: string): boolean {
  return name === CONSUMER_ID || name === CONSUMER_USERNAME || name === CREDENTIAL_IDENTIFIER;
}

/** Looks at the first and third byte before it makes a text: most names end there. */
function looksLikeIdentity(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < SHORTEST_NAME || ((bytes[start] ?? 0) | 0x20) !== LOWER_X) return false;
  const third = (bytes[start + 2] ?? 0) | 0x20;
  if (third !== LOWER_A && third !== LOWER_C) return false;
  let name = '';
  for (let at = start; at < end; at += 1) name += String.fromCharCode(bytes[at] ?? 0);
  const comparable = name.toLowerCase().replaceAll('_', '-');
  return (
    comparable.startsWith('x-consumer-') ||
    comparable.startsWith('x-credential-') ||
    comparable.startsWith('x-authenticated-') ||
    comparable === 'x-anonymous-consumer'
  );
}

/** Percent-encodes `%` and every byte of UTF-8 outside 0x20-0x7E. */
function encodeHeaderText(text: string): string {
  if (/^[\x20-\x24\x26-\x7e]*$/.test(text)) return text;
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
