import type { HeldCredential } from '../store/credential-source.ts';
import { headerOption } from './check-response.ts';
import type { WireText } from './wire-text.ts';

const CONSUMER_ID = 'x-consumer-id';
const CONSUMER_USERNAME = 'x-consumer-username';
const CREDENTIAL_IDENTIFIER = 'x-credential-identifier';

/** The headers that tell the back end who calls (spec §4.3). They overwrite what the caller sent under the same names. */
export function identityHeaders({ consumer, credential }: HeldCredential): readonly WireText[] {
  return [
    headerOption(CONSUMER_ID, consumer.id),
    headerOption(CONSUMER_USERNAME, encodeHeaderText(consumer.name ?? consumer.id)),
    headerOption(CREDENTIAL_IDENTIFIER, credential.id),
  ];
}

/** Whether {@link identityHeaders} sets a header of this name, in any case: Envoy removes after it sets. */
export function isIdentityHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === CONSUMER_ID || lower === CONSUMER_USERNAME || lower === CREDENTIAL_IDENTIFIER;
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
