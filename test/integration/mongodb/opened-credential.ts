import { KeyRing } from '../../../src/model/keyring/key-ring.ts';
import { loadKeyRing } from '../../../src/model/keyring/read-key-ring.ts';
import type { Sealed, SealedFor } from '../../../src/model/keyring/sealed.ts';

/** The ring in a file. */
export async function keyRingAt(path: string): Promise<KeyRing> {
  return new KeyRing((await loadKeyRing({ kind: 'file', path }, {})).content);
}

/** A document of `credentials` with the secrets that were sealed in it, as text. */
export function openedCredential(document: Readonly<Record<string, unknown>>, ring: KeyRing): Record<string, unknown> {
  const credentialId = String(document['_id']);
  const open = (sealed: unknown, what: SealedFor['what']): string =>
    ring
      .open(sealed as Sealed, { credentialId, what })
      .reveal()
      .toString('utf8');
  const opened: Record<string, unknown> = { ...document };
  if ('sealedAppKey' in opened) opened['sealedAppKey'] = open(opened['sealedAppKey'], 'app-key');
  if ('appSecret' in opened) opened['appSecret'] = open(opened['appSecret'], 'app-secret');
  const retiring = opened['retiringSecret'] as { readonly appSecret: unknown } | undefined;
  if (retiring !== undefined) {
    opened['retiringSecret'] = { ...retiring, appSecret: open(retiring.appSecret, 'app-secret') };
  }
  return opened;
}
