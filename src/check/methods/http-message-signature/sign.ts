import { constants, type KeyObject, sign } from 'node:crypto';
import { noParameters } from '../../../base/structured-fields/values.ts';
import { writeBytes, writeString } from '../../../base/structured-fields/write-field.ts';
import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import type { HttpSignatureAlgorithm } from '../../../model/options/http-signature-algorithms.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { type ClientRequest, headerOf, signableRequest, withHeaders } from '../../signing/client-request.ts';
import type { KeySigning } from '../method.ts';
import { ComponentValues } from './component-values.ts';
import { readComponents } from './components.ts';
import { contentDigestOf } from './content-digest.ts';
import { componentsToCover } from './coverage.ts';
import { readCredentials } from './credentials.ts';
import { readCandidates } from './read-signature.ts';
import { signatureBases } from './signature-base.ts';
import { algorithmsOfKinds } from './verify.ts';

/** What signing by RFC 9421 takes (spec §3.5). */
export interface HttpSigning extends KeySigning {
  /** Printable ASCII without `"` and `\`; another one for each request. */
  readonly nonce: string;
}

const LABEL = 'sig1';
const LENGTH_FIELD = 'content-length';

/** How each algorithm of RFC 9421 §3.3 signs. */
const signers: Readonly<Record<HttpSignatureAlgorithm, (base: Buffer, key: KeyObject) => Buffer>> = {
  ed25519: (base, key) => sign(null, base, key),
  'ecdsa-p256-sha256': (base, key) => sign('sha256', base, { key, dsaEncoding: 'ieee-p1363' }),
  'ecdsa-p384-sha384': (base, key) => sign('sha384', base, { key, dsaEncoding: 'ieee-p1363' }),
  'rsa-pss-sha512': (base, key) =>
    sign('sha512', base, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 }),
  'rsa-v1_5-sha256': (base, key) => sign('sha256', base, key),
};

/**
 * Signs a request as a caller (RFC 9421, spec §3.5): gives it `Content-Digest` for a body, `Signature-Input` and
 * `Signature`, in place of any it has. It covers what the endpoint wants, and the headers of `alsoSigned`; the
 * algorithm follows from the key. A refusal is what the gateway would say to such a request.
 */
export function signHttpMessage(
  request: ClientRequest,
  options: HttpSignatureOptions,
  { appKey, privateKey, alsoSigned, nowSeconds, nonce }: HttpSigning,
): ClientRequest | Refusal {
  const { kind } = privateKey.publicKey;
  const algorithm = algorithmsOfKinds[kind].find((each) => options.algorithms.includes(each));
  if (algorithm === undefined) {
    return refuse('AUTHENTICATION_FAILED', `the endpoint takes no algorithm of a key of the kind ${kind}`);
  }
  const digested = withOwnFields(request, [...options.coverAlso, ...alsoSigned]);
  const names = [...new Set([...componentsToCover(signableRequest(digested), options), ...alsoSigned])];
  const components = readComponents(
    names.map((value) => ({ bare: { type: 'string', value }, parameters: noParameters }) as const),
  );
  if (typeof components === 'string') return refuse('CREDENTIALS_MALFORMED', components);
  const tag = options.tag === '' ? '' : `;tag=${writeString(options.tag)}`;
  const parameters = `;created=${String(nowSeconds)};keyid=${writeString(appKey)};nonce=${writeString(nonce)}${tag}`;
  const text = `(${names.map(writeString).join(' ')})${parameters}`;
  const values = new ComponentValues(signableRequest(digested), options.scheme);
  const bases = signatureBases(values, { components, text });
  if (isRefusal(bases)) return bases;
  const bytes = signers[algorithm](Buffer.from(bases[0] ?? '', 'latin1'), privateKey.object);
  const signed = withHeaders(digested, [
    ['Signature-Input', `${LABEL}=${text}`],
    ['Signature', `${LABEL}=${writeBytes(bytes)}`],
  ]);
  return refuseUnread(signed, options) ?? signed;
}

/** The request with the fields that it gets only by being sent, where they are covered. */
function withOwnFields(request: ClientRequest, covered: readonly string[]): ClientRequest {
  const { body } = request;
  if (body.length === 0) return request;
  const digested = withHeaders(request, [['Content-Digest', contentDigestOf(body)]]);
  return covered.includes(LENGTH_FIELD) && headerOf(request, LENGTH_FIELD) === null
    ? withHeaders(digested, [['Content-Length', String(body.length)]])
    : digested;
}

function refuseUnread(signed: ClientRequest, options: HttpSignatureOptions): Refusal | null {
  const request = signableRequest(signed);
  const candidates = readCandidates(request, options);
  if (isRefusal(candidates)) return candidates;
  const [candidate] = candidates;
  const read = candidate === undefined ? null : readCredentials(request, candidate, options);
  return read !== null && isRefusal(read) ? read : null;
}
