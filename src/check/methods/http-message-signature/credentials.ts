import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import {
  type HttpSignatureAlgorithm,
  httpSignatureAlgorithms,
} from '../../../model/options/http-signature-algorithms.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { headerText, refuseUnsignableText } from '../../signing/header-text.ts';
import type { SignableRequest } from '../../signing/signable-request.ts';
import type { SignerCredentials } from '../authenticate-signer.ts';
import { ComponentValues } from './component-values.ts';
import { type Component, readComponents } from './components.ts';
import { type ContentDigests, readContentDigest } from './content-digest.ts';
import { DIGEST_FIELD, findUncovered } from './coverage.ts';
import type { KeyedSignature } from './choose-signature.ts';
import { SIGNATURE_INPUT } from './message-signature.ts';
import { signatureBases } from './signature-base.ts';
import type { SignedBases } from './verify.ts';

/** A signature that is well formed and covers enough: everything that can be said before its key is looked up. */
export interface HttpSignatureCredentials extends SignerCredentials, SignedBases {
  /** The key of the signature in both fields. */
  readonly label: string;
  readonly signedAtSeconds: number;
  /** Seconds since the epoch; null for never. */
  readonly expires: number | null;
  readonly nonce: string | null;
  /** Whether the request has no other signature, of whomever. */
  readonly isOnly: boolean;
  /** Whether no other signature of the request that may be the caller's is well formed and covers enough. */
  readonly isAlone: boolean;
  /** Whether the App Key of another one is known too. */
  readonly hasRival: boolean;
  /** What the signature says of the body; null where it covers no `Content-Digest`, which only an empty body may do. */
  readonly digests: ContentDigests | null;
}

/** What of an endpoint's options decides whether a signature is well formed. */
export type ReadingOptions = Pick<HttpSignatureOptions, 'algorithms' | 'coverAlso' | 'scheme' | 'replayProtection'>;

/**
 * Reads what a signature covers, and builds what was signed (spec §3.5). Refuses with `MALFORMED_REQUEST` a covered
 * field, or the list itself, that cannot be signed, and with `CREDENTIALS_MALFORMED` whatever else is missing or wrong.
 * `values` are those of the request, for several signatures of it.
 */
export function readCredentials(
  request: SignableRequest,
  { label, text, components: items, parameters, bytes, appKey, isOnly }: KeyedSignature,
  options: ReadingOptions,
  values: ComponentValues = new ComponentValues(request, options.scheme),
): HttpSignatureCredentials | Refusal {
  const { created, expires, nonce, alg } = parameters;
  if (created === null) return malformed('the signature has no created');
  const named = alg === null ? null : options.algorithms.find((allowed) => allowed === alg);
  if (named === undefined) return malformed(describeAlgorithm(alg ?? ''));
  if ((nonce ?? '') === '' && options.replayProtection) {
    return malformed('the signature has no nonce, which this endpoint needs');
  }
  const components = readComponents(items);
  if (typeof components === 'string') return malformed(components);
  const uncovered = findUncovered(request, components, options);
  if (uncovered !== null) return malformed(`the signature does not cover ${uncovered}`);
  const unsignable = refuseUnsignableText(request, SIGNATURE_INPUT, text);
  if (unsignable !== null) return unsignable;
  const bases = signatureBases(values, { components, text });
  if (isRefusal(bases)) return bases;
  const digests = components.some(isDigest) ? readContentDigest(headerText(request, DIGEST_FIELD) ?? '') : null;
  if (digests !== null && isRefusal(digests)) return digests;
  return {
    appKey,
    label,
    bases,
    bytes,
    named,
    allowed: options.algorithms,
    signedAtSeconds: created,
    expires,
    nonce,
    isOnly,
    isAlone: true,
    hasRival: false,
    digests,
  };
}

function isDigest(component: Component): boolean {
  return component.kind === 'field' && component.name === DIGEST_FIELD;
}

/** Only the names of algorithms are printed, never what else a caller may have sent. */
function describeAlgorithm(alg: string): string {
  const known: HttpSignatureAlgorithm | undefined = httpSignatureAlgorithms.find((name) => name === alg);
  return known === undefined ? 'the algorithm is unknown' : `the algorithm ${known} is not allowed on this endpoint`;
}

function malformed(detail: string): Refusal {
  return refuse('CREDENTIALS_MALFORMED', detail);
}
