/** Why something is no public key, in words that follow "this" and repeat nothing of it. */
export interface PublicKeyFault {
  readonly fault: string;
}

/** What is said of a key that a partner must keep to itself (spec §1). No part of it is repeated anywhere. */
export const PRIVATE_KEY_FAULT: PublicKeyFault = {
  fault: 'is a private key: it must never leave the partner; ask for the public key',
};

/** A fault with the name of what was given: `"pem": this is a private key: …`. */
export function describeKeyFault(name: string, { fault }: PublicKeyFault): string {
  return `${name}: this ${fault}`;
}
