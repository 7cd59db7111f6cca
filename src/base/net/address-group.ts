import { isIPv4, isIPv6 } from 'node:net';

/**
 * The owner of an address, for counting: every spelling of an address is the same one, and an IPv6 address counts as
 * its
 * /64, because the owner of one address there has all of them. Null for what is not an address.
 */
export function groupOfAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  const [plain = ''] = text.split('%', 1);
  if (!isIPv6(plain)) return null;
  const groups = groupsOf(plain);
  return (
    ipv4Within(groups) ??
    `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')}::/64`
  );
}

/** The eight groups of an IPv6 address in any spelling. */
function groupsOf(address: string): readonly number[] {
  const normal = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [before = [], after = []] = normal.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

/** `::ffff:0:0/96` (RFC 4291 §2.5.5.2) and `64:ff9b::/96` (RFC 6052 §2.1): a caller with an IPv4 address. */
const IPV4_PREFIXES = ['0,0,0,0,0,65535', '100,65435,0,0,0,0'];

function ipv4Within(groups: readonly number[]): string | null {
  if (!IPV4_PREFIXES.includes(groups.slice(0, 6).join(','))) return null;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}
