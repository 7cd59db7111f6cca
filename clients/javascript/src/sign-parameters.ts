import { bodyFormOf, checkBodyHeaders, MAX_BODY_BYTES, MAX_WRAPPER_BYTES, tooLarge } from './body-form.ts';
import { binaryOf, bytesOfBinary, type Bytes } from './bytes.ts';
import { isAmbiguous, MAX_PARAMETERS, parseParameters, signedText, type Parameter } from './parameters.ts';
import { PosternProblem } from './problem.ts';
import type { ParameterEncoding } from './settings.ts';
import { signWrapper, type SignedWrappers } from './sign-wrapper.ts';
import { extend, signOf, withBody, type Moment, type Signature } from './signature.ts';
import { splitTarget, type WireRequest } from './wire-request.ts';

const RESERVED = ['appKey', 'sign', 'apiTimestamp'];
/** `&sign=` and 128 hex digits. */
const SIGN_LENGTH = 134;

/** What a parameter-signature client signs with. */
export interface ParameterKey {
  readonly appKey: string;
  readonly appSecret: string;
  readonly encoding: ParameterEncoding;
  /** The wrappers that were signed of late. */
  readonly wrappers: SignedWrappers;
}

/** Signs the query, the form or the JSON body, whichever the request has, in the order of problems of the contract. */
export async function signParameters(request: WireRequest, key: ParameterKey, moment: Moment): Promise<Signature> {
  const { path, query } = splitTarget(request.target);
  if (request.body.length === 0) {
    const { text, signedBytes } = await signText(query, key, moment, Infinity);
    return { headers: [], target: `${path}?${text}`, signed: signedBytes };
  }
  const form = bodyFormOf(request.headers);
  const maxBytes = form === 'json' ? MAX_WRAPPER_BYTES : MAX_BODY_BYTES;
  if (request.body.length > maxBytes) throw tooLarge(maxBytes);
  const checkRest = (): void => {
    checkBodyHeaders(request.headers);
    if (query !== '') {
      throw new PosternProblem('QUERY_NOT_SIGNABLE', 'beside a body, nothing signs the query; put it into the body');
    }
  };
  if (form === 'json') return await signWrapper(request, key, moment, checkRest);
  const { text, signedBytes } = await signText(binaryOf(request.body), key, moment, maxBytes, checkRest);
  return withBody(request, bytesOfBinary(text), signedBytes);
}

/** A text with what is added to it, and what was signed. Texts have one character for a byte. */
async function signText(
  text: string,
  key: ParameterKey,
  { seconds, nonce }: Moment,
  maxBytes: number,
  checkRest: () => void = () => undefined,
): Promise<{ readonly text: string; readonly signedBytes: Bytes }> {
  const added = [`appKey=${key.appKey}`, `apiTimestamp=${String(seconds)}`];
  if (nonce !== null) added.push(`nonce=${nonce()}`);
  const extended = extend(text, added.join('&'));
  if (extended.length + SIGN_LENGTH > maxBytes) throw tooLarge(maxBytes);
  checkRest();
  checkParameters(parseParameters(text), key, added.length + 1, nonce === null ? RESERVED : [...RESERVED, 'nonce']);
  const signedBytes = bytesOfBinary(signedText(parseParameters(extended), key.encoding));
  return { text: `${extended}&sign=${await signOf(signedBytes, key.appSecret)}`, signedBytes };
}

function checkParameters(
  given: readonly Parameter[],
  { encoding }: ParameterKey,
  added: number,
  reserved: readonly string[],
): void {
  const taken = given.find(({ decoded }) => reserved.includes(decoded.name));
  if (taken !== undefined) {
    throw new PosternProblem('RESERVED_PARAMETER', `the parameter ${taken.decoded.name} is the client's own`);
  }
  if (encoding === 'decoded' && given.some(isAmbiguous)) {
    throw new PosternProblem(
      'AMBIGUOUS_PARAMETERS',
      'a name holds "&" or "=", or a value holds "&" and a "=" after it; send it as JSON',
    );
  }
  if (given.length + added > MAX_PARAMETERS) {
    throw new PosternProblem(
      'TOO_MANY_PARAMETERS',
      `the gateway takes ${String(MAX_PARAMETERS)} parameters, of which the client adds ${String(added)}`,
    );
  }
}
