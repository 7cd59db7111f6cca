import { BlockList, isIP } from 'node:net';
import type { ListenAddress } from './listen-address.ts';

/** A range of addresses, as `node:net` wants it: `10.0.0.0` with a prefix of 8 bits. */
export interface Network {
  readonly address: string;
  readonly prefixLength: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Reads `10.0.0.0/8`, `2001:db8::/32` or a single address; null for anything else. */
export function parseNetwork(text: string): Network | null {
  const [address = '', length, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || more.length > 0) return null;
  const most = version === 4 ? 32 : 128;
  const prefixLength = length === undefined ? most : /^\d{1,3}$/.test(length) ? Number(length) : most + 1;
  return prefixLength > most ? null : { address, prefixLength, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** The text that {@link parseNetwork} reads back. */
export function formatNetwork({ address, prefixLength, family }: Network): string {
  return prefixLength === (family === 'ipv4' ? 32 : 128) ? address : `${address}/${String(prefixLength)}`;
}

/** Whether a host or address is this machine's own. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** Whether a listener is open to other machines while none of them is among these networks. */
export function knowsNoOtherMachine(address: ListenAddress, networks: readonly Network[]): boolean {
  return (
    address.kind === 'tcp' && !isLoopback(address.host) && networks.every((network) => isLoopback(network.address))
  );
}

/**
 * Makes the check whether an address is within one of some networks. IPv4 addresses count the same when they are
 * written as IPv6 (`::ffff:10.0.0.1`), as they are on a listener for both.
 */
export function createPeerTrust(networks: readonly Network[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const { address, prefixLength, family } of networks) trusted.addSubnet(address, prefixLength, family);
  return (address) => {
    const [plain = ''] = address.split('%', 1);
    const version = isIP(plain);
    return version !== 0 && trusted.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  };
}
