import { parseAddress } from '../../base/net/address.ts';
import { type AddressList, holdsAddress } from '../../model/address-list.ts';
import type { HeldCredential } from '../store/credential-source.ts';

type Listed = Pick<HeldCredential, 'consumer' | 'credential'>;

/** Whether a caller may come only from some networks, so that its address is looked at. */
export function hasAddressList({ credential, consumer }: Listed): boolean {
  return credential.allowFrom !== null || consumer.allowFrom !== null;
}

/**
 * Whose list does not hold an address, for the log, which may not have the address itself; null when each that is there
 * holds it. An address that is not known is in no list.
 */
export function findAddressFault({ credential, consumer }: Listed, text: string | null): string | null {
  const address = text === null ? null : parseAddress(text);
  if (address === null) return 'the address of the caller is not known, and allowFrom needs it';
  const isOutside = (list: AddressList | null): boolean => list !== null && !holdsAddress(list, address);
  if (isOutside(consumer.allowFrom)) return `the consumer ${consumer.id} may not call from this address`;
  if (isOutside(credential.allowFrom)) return `the credential ${credential.id} may not be used from this address`;
  return null;
}
