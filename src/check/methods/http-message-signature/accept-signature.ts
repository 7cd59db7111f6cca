import { writeString } from '../../../base/structured-fields/write-field.ts';
import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import type { SignableRequest } from '../../signing/signable-request.ts';
import { componentsToCover } from './coverage.ts';

/** The label of the signature that is asked for, which callers may change. */
const LABEL = 'sig1';

/**
 * The value of `Accept-Signature` (RFC 9421 §5.1): the components and parameters that the signature of a request like
 * this one must have. Where a nonce is needed, `nonce` is one for the next attempt.
 */
export function acceptSignature(
  request: Pick<SignableRequest, 'body'>,
  options: Pick<HttpSignatureOptions, 'coverAlso' | 'tag' | 'replayProtection'>,
  nonce: string,
): string {
  const components = componentsToCover(request, options).map(writeString).join(' ');
  const { tag, replayProtection } = options;
  const parameters = [
    'created',
    ...(replayProtection ? [`nonce=${writeString(nonce)}`] : []),
    ...(tag === '' ? [] : [`tag=${writeString(tag)}`]),
  ];
  return `${LABEL}=(${components});${parameters.join(';')}`;
}
