import { type Credential, makeCredential } from '../../model/credential.ts';
import type { Issuer, IssuerKey, IssuerKeys } from '../../model/issuer.ts';
import { mapSecrets, type Material, type PublicKeyMaterial, publicKeyMaterial } from '../../model/material.ts';
import { PublicKey, type PublicKeyParts } from '../../model/public-key/public-key.ts';
import { Secret } from '../../model/secret.ts';
import type { StoreState } from '../../check/store/check-store.ts';
import { internalized, internalizeWithin } from './internalized.ts';

/** A credential that can go from one thread to another: its secrets are plain text, so it must go nowhere else. */
type PortableCredential = Omit<Credential, 'material'> & { readonly material: PortableMaterial };

/** A public key goes as what it is made of: it was found right where it was read. */
type PortableMaterial =
  | Exclude<Material<string>, PublicKeyMaterial>
  | {
      readonly kind: 'public-key';
      readonly publicKey: PublicKeyParts;
      readonly retiringPublicKey: { readonly publicKey: PublicKeyParts; readonly expiresAt: number } | null;
    };

/** An issuer whose keys go as what they are made of. */
type PortableIssuer = Omit<Issuer, 'keys'> & {
  readonly keys:
    | Extract<IssuerKeys, { readonly kind: 'uri' }>
    | { readonly kind: 'jwks'; readonly keys: readonly (Omit<IssuerKey, 'publicKey'> & { parts: PublicKeyParts })[] };
};

/** Some of the resources of a state. A state goes in slices, so that taking it in never holds up a check for long. */
export type StateSlice = Omit<StoreState, 'credentials' | 'issuers'> & {
  readonly credentials: readonly PortableCredential[];
  readonly issuers: readonly PortableIssuer[];
};

/** Resources of each kind in a slice: taking it in takes a few milliseconds. */
const SLICE_SIZE = 250;

/** Cuts a state into slices. */
export function* sliceState(state: StoreState): Generator<StateSlice> {
  const { endpoints, consumers, credentials, grants, plans, issuers } = state;
  const lists = [endpoints, consumers, credentials, grants, plans, issuers];
  const length = Math.max(...lists.map((list) => list.length));
  for (let start = 0; start < length; start += SLICE_SIZE) {
    const end = start + SLICE_SIZE;
    yield {
      endpoints: state.endpoints.slice(start, end),
      consumers: state.consumers.slice(start, end),
      credentials: state.credentials.slice(start, end).map(toPortable),
      grants: state.grants.slice(start, end),
      plans: state.plans.slice(start, end),
      issuers: state.issuers.slice(start, end).map(portableIssuer),
    };
  }
}

/** A state that slices are joined to. */
type JoinedState = { readonly [K in keyof StoreState]: StoreState[K][number][] };

/** Adds a slice to those before it. */
export function joinSlice(state: JoinedState, slice: StateSlice): void {
  state.endpoints.push(...internalizeWithin(slice.endpoints));
  state.consumers.push(...slice.consumers);
  state.credentials.push(...slice.credentials.map(fromPortable));
  state.grants.push(...slice.grants);
  state.plans.push(...internalizeWithin(slice.plans));
  state.issuers.push(...slice.issuers.map(issuerOf));
}

function portableIssuer({ keys, ...rest }: Issuer): PortableIssuer {
  if (keys.kind === 'uri') return { ...rest, keys };
  const portable = keys.keys.map(({ kid, alg, publicKey }) => ({ kid, alg, parts: publicKey.parts }));
  return { ...rest, keys: { kind: 'jwks', keys: portable } };
}

function issuerOf({ keys, ...rest }: PortableIssuer): Issuer {
  if (keys.kind === 'uri') return { ...rest, keys };
  const own = keys.keys.map(({ kid, alg, parts }) => ({ kid, alg, publicKey: PublicKey.fromParts(parts) }));
  return { ...rest, keys: { kind: 'jwks', keys: own } };
}

function toPortable(credential: Credential): PortableCredential {
  return { ...credential, material: portableOf(mapSecrets(credential.material, textOf)) };
}

function fromPortable(portable: PortableCredential): Credential {
  const { methods, material, state } = portable;
  return makeCredential({
    ...portable,
    methods: shareMethods(methods),
    material: materialOf(material),
    state: internalized(state),
  });
}

function portableOf(material: Material<string>): PortableMaterial {
  if (material.kind !== 'public-key') return material;
  const { publicKey, retiringPublicKey: former } = material;
  const retiringPublicKey = former === null ? null : { publicKey: former.publicKey.parts, expiresAt: former.expiresAt };
  return { kind: 'public-key', publicKey: publicKey.parts, retiringPublicKey };
}

function materialOf(portable: PortableMaterial): Material {
  if (portable.kind !== 'public-key') return mapSecrets(portable, (text) => Secret.fromText(text));
  const { publicKey, retiringPublicKey: former } = portable;
  return publicKeyMaterial(
    PublicKey.fromParts(publicKey),
    former === null ? null : { publicKey: PublicKey.fromParts(former.publicKey), expiresAt: former.expiresAt },
  );
}

function textOf(secret: Secret): string {
  return secret.reveal().toString('utf8');
}

/** Module state: a list of its own for each credential, copied by the thread, takes 215 bytes (Node 20). */
const sharedMethods = new Map<string, Credential['methods']>();

/** The same list for all credentials with the same methods, so that a check finds it in the processor's cache. */
function shareMethods(methods: Credential['methods']): Credential['methods'] {
  const key = methods.join();
  const shared = sharedMethods.get(key) ?? internalizeWithin(methods);
  sharedMethods.set(key, shared);
  return shared;
}
