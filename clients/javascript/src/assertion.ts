import { base64, utf8, type Bytes } from './bytes.ts';
import { percentEncode } from './encode-parameters.ts';
import type { AssertionAlgorithm } from './key-algorithms.ts';
import type { KeySigner } from './key-signer.ts';

/** How long an assertion is good for, in seconds. */
const LIFE_SECONDS = 60;
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** What assertions are made of. */
export interface AssertionKey {
  readonly appKey: string;
  readonly audience: string;
  readonly signer: KeySigner<AssertionAlgorithm>;
}

/** A new assertion (RFC 7523 §2.2) of now; `id` is its `jti`. May throw `SIGNER_FAILED`. */
export async function createAssertion(
  { appKey, audience, signer }: AssertionKey,
  nowSeconds: number,
  id: string,
): Promise<string> {
  const header = { alg: signer.algorithm, typ: 'JWT' };
  const times = { iat: nowSeconds, exp: nowSeconds + LIFE_SECONDS };
  const claims = { iss: appKey, sub: appKey, aud: audience, jti: id, ...times };
  const text = [header, claims].map((part) => base64url(utf8(JSON.stringify(part)))).join('.');
  return `${text}.${base64url(await signer.sign(utf8(text)))}`;
}

/** The body of a question for a token with an assertion. */
export function assertionForm(appKey: string, assertion: string): string {
  const [id, type] = [appKey, ASSERTION_TYPE].map(percentEncode);
  const named = `client_id=${id ?? ''}&client_assertion_type=${type ?? ''}`;
  return `grant_type=client_credentials&${named}&client_assertion=${assertion}`;
}

function base64url(bytes: Bytes): string {
  return base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
