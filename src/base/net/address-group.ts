import { isIPv4, isIPv6 } from 'node:net';
import { type AddressWords, formatIPv4, wordsOfIPv6 } from './address.ts';

/**
 * The owner of an address, for counting: every spelling of an address is the same one, and an IPv6 address counts as
 * its /64, because the owner of one address there has all of them. Null for what is not an address.
 */
export function groupOfAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const [plain = ''] = text.split('%', 1);
  if (!isIPv6(plain)) return null;
  const words = wordsOfIPv6(plain);
  return ipv4Within(words) ?? `${words.slice(0, 2).flatMap(groupsOf).join(':')}::/64`;
}

/** The two groups of a word, as they are written. */
function groupsOf(word: number): readonly string[] {
  return [(word >>> 16).toString(16), (word & 0xffff).toString(16)];
}

/** `::ffff:0:0/96` (RFC 4291 §2.5.5.2) and `64:ff9b::/96` (RFC 6052 §2.1): a caller with an IPv4 address. */
const IPV4_PREFIXES = ['0,0,65535', '6619035,0,0'];

function ipv4Within(words: AddressWords): string | null {
  return IPV4_PREFIXES.includes(words.slice(0, 3).join(',')) ? formatIPv4(words[3] ?? 0) : null;
}
