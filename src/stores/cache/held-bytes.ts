import type { AddressList } from '../../model/address-list.ts';
import type { Consumer } from '../../model/consumer.ts';
import type { Credential } from '../../model/credential.ts';
import type { Labels } from '../../model/labels.ts';
import type { GrantsByEndpoint } from '../../check/store/credential-source.ts';

/** A credential with its secrets and all that finds it, without an address list. */
export const CREDENTIAL_BYTES = 1280;

const CONSUMER_BYTES = 320;
const GRANT_BYTES = 320;
const LIMIT_BYTES = 64;
/** A network of an address list, of IPv6. */
const NETWORK_BYTES = 240;
const TEXT_BYTES = 24;
/** Where no other labels have the same names: V8 then keeps each step of how the mapping came about. */
const LABEL_BYTES = 112;

/** About how much memory a consumer with its own grants takes: what its credentials in the cache share. */
export function bytesOfConsumer(
  { id, name, description, labels, allowFrom }: Consumer,
  grants: GrantsByEndpoint,
): number {
  let bytes = CONSUMER_BYTES + bytesOfText(id) + bytesOfText(name ?? '') + bytesOfText(description);
  bytes += bytesOfLabels(labels) + bytesOfNetworks(allowFrom);
  for (const { endpointId, limits } of grants.values()) {
    bytes += GRANT_BYTES + bytesOfText(endpointId) + LIMIT_BYTES * (limits?.length ?? 0);
  }
  return bytes;
}

/** About how much memory a credential takes, with all that finds it. */
export function bytesOfCredential({ allowFrom }: Pick<Credential, 'allowFrom'>): number {
  return CREDENTIAL_BYTES + bytesOfNetworks(allowFrom);
}

function bytesOfNetworks(list: AddressList | null): number {
  return NETWORK_BYTES * (list?.length ?? 0);
}

/** About how much memory labels take. */
export function bytesOfLabels(labels: Labels): number {
  let bytes = 0;
  for (const name in labels) bytes += LABEL_BYTES + bytesOfText(name) + bytesOfText(labels[name] ?? '');
  return bytes;
}

function bytesOfText(text: string): number {
  return TEXT_BYTES + Buffer.byteLength(text);
}
