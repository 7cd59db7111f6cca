import type { KnownPublicKey } from '../../check/methods/explanation/explainer.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import type { ManagedCredential } from '../../resources/resource.ts';

/** A public key that the caller gives, which counts as that of the credential. */
export function givenKey(publicKey: KnownPublicKey['publicKey']): KnownPublicKey {
  return { publicKey, mistake: null, explainsAppKey: false };
}

/**
 * The public keys that the private half of a signature may belong to: those of the credential itself, the former one as
 * a mistake once it has ended, and as a mistake too those of `others`.
 */
export function knownKeysOf(
  owner: ManagedCredential,
  others: readonly ManagedCredential[],
  nowSeconds: number,
): readonly KnownPublicKey[] {
  const { material } = owner;
  if (material.kind !== 'public-key') return [];
  const { publicKey, retiringPublicKey: former } = material;
  return [
    givenKey(publicKey),
    ...(former === null
      ? []
      : [
          nowSeconds < former.expiresAt
            ? givenKey(former.publicKey)
            : { ...givenKey(former.publicKey), mistake: FORMER },
        ]),
    ...others.flatMap((other) => (other.id === owner.id ? [] : keyOfAnother(other, owner))),
  ];
}

const FORMER = {
  name: 'former-key',
  what: 'the former private key was used, which works no more since the key was rotated',
  fix: 'Sign with the private key of the public key that the credential has now',
};

function keyOfAnother(other: ManagedCredential, owner: ManagedCredential): readonly KnownPublicKey[] {
  if (other.material.kind !== 'public-key') return [];
  const { publicKey } = other.material;
  const mistake = {
    name: 'key-of-another-credential',
    what: `the signature was made with the private key of the credential ${other.id}, not with that of ${owner.id}`,
    fix: `Send ${keyidOf(other)} as keyid, or sign with the private key of ${owner.id}`,
  };
  return publicKey.equals(ownKey(owner)) ? [] : [{ publicKey, mistake, explainsAppKey: false }];
}

function ownKey({ material }: ManagedCredential): KnownPublicKey['publicKey'] {
  if (material.kind !== 'public-key') throw new Error('the credential has no public key');
  return material.publicKey;
}

/** The key of a credential whose thumbprint was sent as `keyid`; none where it is that of another credential. */
export function keyOfThumbprint(credential: ManagedCredential, keyid: string): readonly KnownPublicKey[] {
  const { material } = credential;
  if (material.kind !== 'public-key' || material.publicKey.thumbprint !== keyid) return [];
  const mistake = {
    name: 'keyid-is-thumbprint',
    what: `keyid is the thumbprint of the public key of the credential ${credential.id}, and not its App Key`,
    fix: `Send ${keyidOf(credential)} as keyid`,
  };
  return [{ publicKey: material.publicKey, mistake, explainsAppKey: true }];
}

function keyidOf({ id, appKey }: ManagedCredential): string {
  return appKey === null ? `the App Key of ${id}` : `"${textOf(appKey)}", the App Key of ${id},`;
}
