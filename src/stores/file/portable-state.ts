import { type Credential, makeCredential } from '../../model/credential.ts';
import { mapSecrets, type Material } from '../../model/material.ts';
import { Secret } from '../../model/secret.ts';
import type { StoreState } from '../../check/store/check-store.ts';
import { internalized, internalizeWithin } from './internalized.ts';

/** A credential that can go from one thread to another: its secrets are plain text, so it must go nowhere else. */
type PortableCredential = Omit<Credential, 'material'> & { readonly material: Material<string> };

/** Some of the resources of a state. A state goes in slices, so that taking it in never holds up a check for long. */
export type StateSlice = Omit<StoreState, 'credentials'> & { readonly credentials: readonly PortableCredential[] };

/** Resources of each kind in a slice: taking it in takes a few milliseconds. */
const SLICE_SIZE = 250;

/** Cuts a state into slices. */
export function* sliceState(state: StoreState): Generator<StateSlice> {
  const lists = [state.endpoints, state.consumers, state.credentials, state.grants];
  const length = Math.max(...lists.map((list) => list.length));
  for (let start = 0; start < length; start += SLICE_SIZE) {
    const end = start + SLICE_SIZE;
    yield {
      endpoints: state.endpoints.slice(start, end),
      consumers: state.consumers.slice(start, end),
      credentials: state.credentials.slice(start, end).map(toPortable),
      grants: state.grants.slice(start, end),
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
}

function toPortable(credential: Credential): PortableCredential {
  return { ...credential, material: mapSecrets(credential.material, textOf) };
}

function fromPortable(portable: PortableCredential): Credential {
  const { methods, material, state } = portable;
  return makeCredential({
    ...portable,
    methods: shareMethods(methods),
    material: mapSecrets(material, (text) => Secret.fromText(text)),
    state: internalized(state),
  });
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
