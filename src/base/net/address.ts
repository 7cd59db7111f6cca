import { isIPv4, isIPv6 } from 'node:net';

/**
 * An IP address as its 32-bit words, the highest first: one of IPv4, four of IPv6. An IPv4 address that is written as
 * IPv6 (`::ffff:10.0.0.1`, RFC 4291 §2.5.5.2), as on a listener for both, is the IPv4 address.
 */
export type AddressWords = readonly number[];

/** Reads an address in any spelling, with or without an IPv6 zone; null for anything else. */
export function parseAddress(text: string): AddressWords | null {
  if (isIPv4(text)) return [wordOfIPv4(text)];
  const [plain = ''] = text.split('%', 1);
  if (!isIPv6(plain)) return null;
  const words = wordsOfIPv6(plain);
  return isMapped(words) ? words.slice(3) : words;
}

/** The four words of an address for which `isIPv6` holds, without a zone; also of one that maps an IPv4 address. */
export function wordsOfIPv6(address: string): AddressWords {
  const [before = [], after = []] = address.split('::').map(groupsOf);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  const groups = [...before, ...zeros, ...after];
  return [0, 2, 4, 6].map((at) => (((groups[at] ?? 0) << 16) | (groups[at + 1] ?? 0)) >>> 0);
}

/** The text of a word of IPv4. */
export function formatIPv4(word: number): string {
  return [word >>> 24, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff].join('.');
}

/** The one text of an address: RFC 5952 for IPv6. */
export function formatAddress(words: AddressWords): string {
  if (words.length === 1) return formatIPv4(words[0] ?? 0);
  const groups = words.map((word) => `${(word >>> 16).toString(16)}:${(word & 0xffff).toString(16)}`);
  // The parser of URLs leaves out the longest run of zeros.
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}

/** Whether two addresses of one family have the same first bits. */
export function sharePrefix(one: AddressWords, other: AddressWords, prefixLength: number): boolean {
  for (let at = 0; at * WORD_BITS < prefixLength; at += 1) {
    const bits = Math.min(prefixLength - at * WORD_BITS, WORD_BITS);
    if (((one[at] ?? 0) ^ (other[at] ?? 0)) >>> (WORD_BITS - bits) !== 0) return false;
  }
  return one.length === other.length;
}

/** An address with all bits after its first ones cleared. */
export function maskAddress(words: AddressWords, prefixLength: number): AddressWords {
  return words.map((word, at) => {
    const hostBits = Math.max(WORD_BITS - Math.max(prefixLength - at * WORD_BITS, 0), 0);
    return hostBits === WORD_BITS ? 0 : ((word >>> hostBits) << hostBits) >>> 0;
  });
}

const WORD_BITS = 32;

function isMapped(words: AddressWords): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] === 0xffff;
}

function wordOfIPv4(text: string): number {
  return text.split('.').reduce((word, byte) => ((word << 8) | Number(byte)) >>> 0, 0);
}

/** The groups on one side of `::`; a dotted end is two of them. */
function groupsOf(side: string): readonly number[] {
  if (side === '') return [];
  return side.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const word = wordOfIPv4(group);
    return [word >>> 16, word & 0xffff];
  });
}
