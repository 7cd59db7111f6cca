import { isAppKey } from '../../../model/app-key.ts';
import { type Pending, whenReady } from '../../../base/pending.ts';
import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { CredentialSource } from '../../store/credential-source.ts';
import type { MessageSignature } from './message-signature.ts';

/** A signature that may be the caller's: its `keyid` has the form of an App Key. */
export interface KeyedSignature extends MessageSignature {
  readonly appKey: string;
  /** Whether the request has no other signature, of whomever. */
  readonly isOnly: boolean;
}

/**
 * The signatures of a request that may be the caller's (spec §3.5): those with the endpoint's `tag`, where it has one,
 * and a `keyid` that can be an App Key; at least one. Others are a proxy's, and are ignored. Labels mean nothing.
 */
export function findCandidates(
  signatures: readonly MessageSignature[],
  { tag }: Pick<HttpSignatureOptions, 'tag'>,
): readonly KeyedSignature[] | Refusal {
  const candidates: KeyedSignature[] = [];
  for (const signature of signatures) {
    const { keyid, tag: own } = signature.parameters;
    if (keyid === null || !isAppKey(keyid) || (tag !== '' && own !== tag)) continue;
    const { label, text, components, parameters, bytes } = signature;
    candidates.push({ label, text, components, parameters, bytes, appKey: keyid, isOnly: signatures.length === 1 });
  }
  if (candidates.length > 1 && tag !== '') {
    return refuse('CREDENTIALS_MALFORMED', 'more than one signature has the tag of this endpoint');
  }
  if (candidates.length > 0) return candidates;
  if (signatures.every(({ parameters: { keyid } }) => keyid === null)) {
    return refuse('CREDENTIALS_MISSING', 'the signature sends no keyid');
  }
  return refuse(
    'AUTHENTICATION_FAILED',
    'no signature has a keyid that can be an App Key, and the tag of this endpoint',
  );
}

/** The labels of those whose App Key a credential of this method has. */
export function knownAmong(
  candidates: readonly KeyedSignature[],
  credentials: Pick<CredentialSource, 'findByAppKey'>,
): Pending<ReadonlySet<string>> {
  const known = new Set<string>();
  const step = (index: number): Pending<ReadonlySet<string>> => {
    const candidate = candidates[index];
    if (candidate === undefined) return known;
    return whenReady(credentials.findByAppKey(candidate.appKey), (held) => {
      if (held?.credential.methods.includes('http-message-signature') === true) known.add(candidate.label);
      return step(index + 1);
    });
  };
  return step(0);
}
