import { declareTime } from '../../declared.ts';
import type { DocumentCredential } from '../../credential.ts';
import { pickFields } from '../../credential-fields.ts';
import {
  appKeyMaterial,
  appSecretOf,
  type Material,
  materialFacts,
  type PublicKeyMaterial,
  publicKeyMaterial,
  type RetiringSecret,
  sharedSecret,
  type SharedSecret,
} from '../../../model/material.ts';
import { Secret } from '../../../model/secret.ts';
import { generateAppKey, generateAppSecret, hashOfAppKey } from '../generate-credential.ts';
import type { ManagedCredential } from '../../resource.ts';

/** What was made up for a credential, to be shown once. Null what was not. */
export interface GeneratedSecrets {
  readonly appKey: Secret | null;
  readonly appSecret: Secret | null;
}

/** Why a declared credential cannot be, and at which of its keys; null for the credential as a whole. */
interface CredentialFault {
  readonly key: string | null;
  readonly message: string;
}

/** A declared credential with everything that the store keeps or that was generated, or what is wrong with it. */
type ResolvedCredential =
  | { readonly credential: ManagedCredential; readonly generated: GeneratedSecrets | null }
  | { readonly faults: readonly CredentialFault[] };

/**
 * Completes a declared credential (spec §6). What the document leaves out of the secrets is kept as stored; the pair of
 * a new credential without App Key is generated. A document that leaves out all secrets leaves a running rotation
 * alone.
 */
export function resolveCredential(
  declared: DocumentCredential,
  id: string,
  stored: ManagedCredential | null,
): ResolvedCredential {
  const faults: CredentialFault[] = [];
  const { consumerId, methods, state, notBefore, expiresAt } = declared;
  if (stored !== null && stored.consumerId !== consumerId) {
    const message = `the credential ${quote(id)} belongs to the consumer ${quote(stored.consumerId)} in the store, and credentials do not change hands; give this one another id and App Key`;
    return { faults: [{ key: declared.id === null ? null : 'id', message }] };
  }
  const key = resolveAppKey(declared, stored, faults);
  const { material, appSecret } = resolveMaterial(declared, id, stored, faults);
  if (notBefore !== null && expiresAt !== null && expiresAt <= notBefore) {
    const message = `the credential ${quote(id)} is ${state} in the store and ends at ${declareTime(expiresAt)}; "notBefore" must be earlier`;
    faults.push({ key: 'notBefore', message });
  }
  if (faults.length > 0 || material === null) return { faults };
  const { appKey, appKeyHash } = key;
  const generated = { appKey: key.isGenerated ? appKey : null, appSecret };
  return {
    credential: {
      id,
      consumerId,
      methods,
      appKey,
      appKeyHash,
      material,
      ...pickFields(declared),
    },
    generated: key.isGenerated || appSecret !== null ? generated : null,
  };
}

interface ResolvedAppKey {
  readonly appKey: Secret | null;
  readonly appKeyHash: string;
  readonly isGenerated: boolean;
}

function resolveAppKey(
  { methods, material, appKey, appKeyHash }: DocumentCredential,
  stored: ManagedCredential | null,
  faults: CredentialFault[],
): ResolvedAppKey {
  const isSecret = materialFacts[material.kind].appKey === 'secret';
  if (stored !== null && isSecret && materialFacts[stored.material.kind].appKey === 'public') {
    if (appKeyHash === null || appKeyHash === stored.appKeyHash) {
      const message = `the App Key of this credential was public with ${stored.methods.join(', ')}; method key needs a secret one: give it a new "appKey"`;
      faults.push({ key: null, message });
    }
  }
  if (appKeyHash !== null) {
    return { appKey: appKey === null ? null : Secret.fromText(appKey), appKeyHash, isGenerated: false };
  }
  if (stored === null) {
    const generated = generateAppKey();
    return { appKey: generated, appKeyHash: hashOfAppKey(generated), isGenerated: true };
  }
  if (stored.appKey === null && !isSecret) {
    const message = `"appKey" is missing; the store has only its hash, and ${methods.join(', ')} needs the App Key itself`;
    faults.push({ key: null, message });
  }
  return { appKey: stored.appKey, appKeyHash: stored.appKeyHash, isGenerated: false };
}

/** The material that the store gets; null when it has a fault. `appSecret` is what was generated for it. */
function resolveMaterial(
  declared: DocumentCredential,
  id: string,
  stored: ManagedCredential | null,
  faults: CredentialFault[],
): { readonly material: Material | null; readonly appSecret: Secret | null } {
  const { material, appKeyHash } = declared;
  switch (material.kind) {
    case 'app-key':
      return { material: appKeyMaterial, appSecret: null };
    case 'token-claims':
    case 'certificate':
      return { material, appSecret: null };
    case 'public-key':
      return { material: keepFormerKey(material, stored), appSecret: null };
    case 'shared-secret': {
      const { secret, isGenerated } = resolveAppSecret(material, appKeyHash, id, stored, faults);
      const former = resolveRetiringSecret(material, stored, faults);
      return {
        material: secret === null ? null : sharedSecret(secret, former),
        appSecret: isGenerated ? secret : null,
      };
    }
  }
}

function resolveAppSecret(
  { appSecret }: SharedSecret<Secret | null>,
  appKeyHash: string | null,
  id: string,
  stored: ManagedCredential | null,
  faults: CredentialFault[],
): { readonly secret: Secret | null; readonly isGenerated: boolean } {
  const kept = appSecret ?? (stored === null ? null : appSecretOf(stored.material));
  if (kept !== null) return { secret: kept, isGenerated: false };
  if (stored === null && appKeyHash === null) return { secret: generateAppSecret(), isGenerated: true };
  const why = stored === null ? `there is no stored credential ${quote(id)}` : 'the stored credential has none';
  const message = `"appSecret" is missing, and ${why} to keep it from; write it, or "appSecretFrom" with { env: NAME } or { file: PATH }`;
  faults.push({ key: null, message });
  return { secret: null, isGenerated: false };
}

/** A document without a former key leaves a running rotation alone, as long as it has the key of the store. */
function keepFormerKey(material: PublicKeyMaterial, stored: ManagedCredential | null): PublicKeyMaterial {
  const { publicKey, retiringPublicKey } = material;
  if (retiringPublicKey !== null || stored?.material.kind !== 'public-key') return material;
  return stored.material.publicKey.equals(publicKey)
    ? publicKeyMaterial(publicKey, stored.material.retiringPublicKey)
    : material;
}

function resolveRetiringSecret(
  { appSecret, retiringSecret }: SharedSecret<Secret | null>,
  stored: ManagedCredential | null,
  faults: CredentialFault[],
): RetiringSecret | null {
  const former = stored?.material.kind === 'shared-secret' ? stored.material.retiringSecret : null;
  if (retiringSecret === null) return appSecret === null ? former : null;
  const kept = retiringSecret.appSecret ?? former?.appSecret ?? null;
  if (kept !== null) return { appSecret: kept, expiresAt: retiringSecret.expiresAt };
  const message = '"retiringSecret" has no "appSecret", and the store has none to keep; write it, or remove the key';
  faults.push({ key: 'retiringSecret', message });
  return null;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
