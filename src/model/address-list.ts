import {
  type AddressWords,
  formatAddress,
  maskAddress,
  parseAddress,
  sharePrefix,
  wordsOfIPv6,
} from '../base/net/address.ts';
import { formatNetwork, parseNetwork } from '../base/net/networks.ts';
import { MAX_ALLOWED_NETWORKS } from './bounds.ts';
import { bounded, listBound } from './document/bounds.ts';
import { type Field, FieldFault } from './document/fields.ts';

/** A network that a caller may come from, ready to be compared with an address. */
export interface AllowedNetwork {
  /** As it is written: `203.0.113.0/24`, `2001:db8::/32`, or an address alone. */
  readonly text: string;
  readonly words: AddressWords;
  /** Of `words`, in bits. */
  readonly prefixLength: number;
}

/** The networks that a consumer or credential may call from (spec §1), at least one. */
export type AddressList = readonly AllowedNetwork[];

/** Whether an address is in one of the networks. IPv4 addresses are in IPv4 networks only, not in `::/0`. */
export function holdsAddress(list: AddressList, address: AddressWords): boolean {
  for (const { words, prefixLength } of list) if (sharePrefix(words, address, prefixLength)) return true;
  return false;
}

/** The networks that are in both lists, of which none is in another; a list that is not there holds every network. */
export function commonNetworks(one: AddressList | null, other: AddressList | null): AddressList | null {
  if (one === null || other === null) return one ?? other;
  const within = (networks: AddressList, list: AddressList): AddressList =>
    networks.filter((network) =>
      list.some(
        ({ words, prefixLength }) =>
          prefixLength <= network.prefixLength && sharePrefix(words, network.words, prefixLength),
      ),
    );
  const both = [...within(one, other), ...within(other, one)];
  const known = new Map(both.map((network) => [network.text, network]));
  return [...known.values()];
}

/** The networks as they are written. */
export function declareAddressList(list: AddressList): readonly string[] {
  return list.map(({ text }) => text);
}

/** What `allowFrom` must be, wherever it is written; absent for callers from anywhere. */
export const addressListField: Field<AddressList> = bounded(
  Object.assign(readAddressList, {
    schema: { bsonType: 'array', minItems: 1, uniqueItems: true, items: { bsonType: 'string' } },
  }),
  // No network is so long.
  listBound(MAX_ALLOWED_NETWORKS, 64),
);

const noList = new FieldFault('must be a list of networks', { isOtherType: true });
const noNetworks = new FieldFault('is empty: name a network, or leave it out to allow every address');
const noNetwork = new FieldFault(
  'must be a network or an address, such as 203.0.113.0/24, 2001:db8::/32 or 203.0.113.7',
);
const repeated = new FieldFault('is the same network as one before it');

function readAddressList(raw: unknown): AddressList | FieldFault {
  if (!Array.isArray(raw)) return noList;
  if (raw.length === 0) return noNetworks;
  const seen = new Set<string>();
  const networks: AllowedNetwork[] = [];
  const inside: FieldFault['inside'][number][] = [];
  for (const [key, item] of (raw as readonly unknown[]).entries()) {
    const network = typeof item === 'string' ? readAllowedNetwork(item) : noNetwork;
    if (network instanceof FieldFault) inside.push({ key, fault: network });
    else if (seen.has(network.text)) inside.push({ key, fault: repeated });
    else networks.push(network);
    if ('text' in network) seen.add(network.text);
  }
  return inside.length === 0 ? networks : new FieldFault('', { inside });
}

/** One spelling of each network is kept, and one that says more than its prefix is most often a slip. */
function readAllowedNetwork(text: string): AllowedNetwork | FieldFault {
  const parsed = parseNetwork(text);
  if (parsed === null) return noNetwork;
  const { address, prefixLength, family } = parsed;
  const mapped = family === 'ipv6' && prefixLength >= MAPPED_BITS ? parseAddress(address) : null;
  if (mapped?.length === 1) {
    const own = networkOf(maskAddress(mapped, prefixLength - MAPPED_BITS), prefixLength - MAPPED_BITS);
    return new FieldFault(`holds IPv4 addresses: write ${own.text}`);
  }
  const words = family === 'ipv4' ? parseAddress(address) : wordsOfIPv6(address);
  if (words === null) return noNetwork;
  const network = networkOf(maskAddress(words, prefixLength), prefixLength);
  const isWhole = words.every((word, at) => word === network.words[at]);
  return isWhole ? network : new FieldFault(`has bits set beyond its prefix: write ${network.text}`);
}

/** The network of a text, without the bits beyond its prefix; null for a text that is no network or address. */
export function networkAround(text: string): string | null {
  const parsed = parseNetwork(text);
  if (parsed === null) return null;
  const { address, prefixLength, family } = parsed;
  const words = family === 'ipv4' ? parseAddress(address) : wordsOfIPv6(address);
  return words === null ? null : networkOf(maskAddress(words, prefixLength), prefixLength).text;
}

/** Bits before the IPv4 address in `::ffff:0:0/96`. */
const MAPPED_BITS = 96;

function networkOf(words: AddressWords, prefixLength: number): AllowedNetwork {
  const family = words.length === 1 ? 'ipv4' : 'ipv6';
  return { text: formatNetwork({ address: formatAddress(words), prefixLength, family }), words, prefixLength };
}
