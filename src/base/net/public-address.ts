import { type AddressWords, parseAddress, sharePrefix } from './address.ts';

/** What is not reached over the internet (IANA's registries of special-purpose addresses), and groups of hosts. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
].map(prefixOf);
/** Of IPv6 only these are public. */
const GLOBAL_IPV6 = prefixOf('2000::/3');
/** And of them not these: protocols and benchmarks, documents, and IPv4 in disguise. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map(prefixOf);
/** An IPv4 address behind a translator (RFC 6052): it is judged as that. */
const TRANSLATED = prefixOf('64:ff9b::/96');

interface Prefix {
  readonly words: AddressWords;
  readonly length: number;
}

function prefixOf(text: string): Prefix {
  const [address = '', length] = text.split('/');
  const words = parseAddress(address);
  if (words === null) throw new Error(`${text} is no prefix`);
  return { words, length: Number(length) };
}

/** Whether an address is one of the internet: not private, not of this machine or link, and no group. */
export function isPublicAddress(text: string): boolean {
  const words = parseAddress(text);
  return words !== null && isPublic(words);
}

function isPublic(words: AddressWords): boolean {
  if (words.length === 1) return !SPECIAL_IPV4.some((prefix) => isWithin(words, prefix));
  if (isWithin(words, TRANSLATED)) return isPublic(words.slice(3));
  return isWithin(words, GLOBAL_IPV6) && !SPECIAL_IPV6.some((prefix) => isWithin(words, prefix));
}

function isWithin(words: AddressWords, prefix: Prefix): boolean {
  return sharePrefix(words, prefix.words, prefix.length);
}
