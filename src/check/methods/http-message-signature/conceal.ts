import { parseDictionary } from '../../../base/structured-fields/parse-field.ts';
import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import { isRefusal } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import type { SignableHeaders } from '../../signing/signable-request.ts';
import { unchanged, type UpstreamChanges } from '../authenticated.ts';
import { findCandidates, type KeyedSignature } from './choose-signature.ts';
import { readSignatures, SIGNATURE, SIGNATURE_INPUT } from './message-signature.ts';

/** Takes the caller's signature out of the two fields. Those of others, such as a proxy, go on as they came. */
export function concealSignature(
  { received: { request } }: Routed,
  { hideCredentials }: HttpSignatureOptions,
  { label, isOnly }: Pick<KeyedSignature, 'label' | 'isOnly'>,
): UpstreamChanges {
  if (!hideCredentials) return unchanged;
  return isOnly ? withoutAny : withoutSignatures(request.headers, new Set([label]));
}

/** The same where it is not known which one is the caller's: every one that may be, and all where none can be read. */
export function concealCandidates(
  { received: { request } }: Routed,
  { hideCredentials, tag }: HttpSignatureOptions,
): UpstreamChanges {
  if (!hideCredentials) return unchanged;
  const signatures = readSignatures(request.headers);
  if (isRefusal(signatures)) return withoutAny;
  const candidates = findCandidates(signatures, { tag });
  if (!isRefusal(candidates)) return withoutSignatures(request.headers, new Set(candidates.map(({ label }) => label)));
  return candidates.refused === 'CREDENTIALS_MALFORMED' ? withoutAny : unchanged;
}

const withoutAny: UpstreamChanges = { ...unchanged, headersToRemove: [SIGNATURE_INPUT, SIGNATURE] };

function withoutSignatures(headers: SignableHeaders, labels: ReadonlySet<string>): UpstreamChanges {
  const input = without(headers, SIGNATURE_INPUT, labels);
  const signature = without(headers, SIGNATURE, labels);
  if (input === '' || signature === '') return withoutAny;
  const headersToSet = [
    [SIGNATURE_INPUT, input],
    [SIGNATURE, signature],
  ] as const;
  return { ...unchanged, headersToSet };
}

/** A dictionary without some of its members; empty where nothing is left. The others stay byte for byte. */
function without(headers: SignableHeaders, name: string, labels: ReadonlySet<string>): string {
  const members = parseDictionary(headers.valuesOf(name).join(', '));
  if ('fault' in members) return '';
  const kept = Array.from(members).filter(([label]) => !labels.has(label));
  return kept.map(([label, { text }]) => `${label}=${text}`).join(', ');
}
