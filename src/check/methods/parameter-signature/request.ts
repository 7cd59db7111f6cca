import { isUtf8 } from 'node:buffer';
import type { ParameterSignatureOptions } from '../../../model/endpoint.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { checkTarget, queryOf, type SignableRequest } from '../../signing/signable-request.ts';
import { runAtOnce, type Work } from '../../../base/text/work.ts';
import { type BodyForm, chooseBodyForm } from './body-form.ts';
import {
  findReservedName,
  isAmbiguous,
  type Parameters,
  parseParameters,
  parsingParameters,
  type ReservedName,
  type Span,
  valueStart,
} from './parameters.ts';
import { parameterTexts, type SigningTextBuilder, sortedText, wrapperText } from './string-to-sign.ts';
import { parsingWrapper } from './wrapper.ts';

/** The options of an endpoint that decide how its parameters are read. */
export type ParameterReadingOptions = Pick<
  ParameterSignatureOptions,
  'parameterEncoding' | 'strictParameters' | 'unsignedQuery' | 'unsignedBody'
> &
  Partial<Pick<ParameterSignatureOptions, 'hideCredentials'>>;

/** A request to a parameter-signature endpoint whose parameters are well formed, from any sender. */
export interface ParameterRequest {
  readonly form: BodyForm;
  /**
   * The `data` of a JSON wrapper, which goes to the back end in its place (`FREE_BEFORE_DATA`); null in the other
   * forms.
   */
  readonly data: Buffer | null;
  /** The decoded values of the reserved parameters, in the order received. */
  readonly reserved: Readonly<Record<ReservedName, readonly Buffer[]>>;
  /** The strings to sign that are accepted, in the order they are tried. */
  readonly texts: readonly SigningTextBuilder[];
  /** The string to sign that `signatureHints` shows: the decoded one in `auto` (spec §4.4). */
  readonly shownText: SigningTextBuilder;
}

/**
 * Reads the parameters of a request in whichever of the three forms it has (spec §3.3). Refuses in the order of spec
 * §3: `BODY_TOO_LARGE`, `BODY_NOT_VERIFIABLE`, `MALFORMED_REQUEST` (encoding, a query that nothing signs),
 * `TOO_MANY_PARAMETERS`, `MALFORMED_WRAPPER`, `AMBIGUOUS_PARAMETERS`.
 */
export function parseParameterRequest(
  request: SignableRequest,
  options: ParameterReadingOptions,
): ParameterRequest | Refusal {
  return runAtOnce(parsingParameterRequest(request, options));
}

/** {@link parseParameterRequest} in turns with other work: decoding a large body takes long. */
export function* parsingParameterRequest(
  request: SignableRequest,
  options: ParameterReadingOptions,
): Work<ParameterRequest | Refusal> {
  const form = chooseBodyForm(request, options.unsignedBody);
  if (typeof form !== 'string') return form;
  const badTarget = checkTarget(request);
  if (badTarget !== null) return badTarget;
  if (form === 'url') return readUrl(request, options);

  const queryAppKey = options.unsignedQuery === 'forward' ? null : readQueryAppKey(request.path);
  if (queryAppKey !== null && isRefusal(queryAppKey)) return queryAppKey;
  return form === 'form' ? yield* readForm(request, options, queryAppKey) : yield* readJson(request, queryAppKey);
}

function readUrl(request: SignableRequest, options: ParameterReadingOptions): ParameterRequest | Refusal {
  const parameters = parseParameters(Buffer.from(queryOf(request.path), 'latin1'));
  return isRefusal(parameters) ? parameters : readParameters('url', parameters, options, null);
}

function* readForm(
  request: SignableRequest,
  options: ParameterReadingOptions,
  queryAppKey: Buffer | null,
): Work<ParameterRequest | Refusal> {
  // Without its credentials a form goes upstream as a text of the answer: half-encoded characters are no text.
  if (options.hideCredentials === true && !isUtf8(request.body)) {
    return refuse('MALFORMED_REQUEST', 'the form is not UTF-8 as it was sent, and its credentials are to be taken out');
  }
  const parameters = yield* parsingParameters(request.body);
  return isRefusal(parameters) ? parameters : readParameters('form', parameters, options, queryAppKey);
}

function readParameters(
  form: 'url' | 'form',
  parameters: Parameters,
  options: ParameterReadingOptions,
  queryAppKey: Buffer | null,
): ParameterRequest | Refusal {
  const { bytes, spans } = parameters.decoded;
  const reserved: Record<ReservedName, Buffer[]> = { appKey: [], sign: [], apiTimestamp: [] };
  const signed: number[] = [];
  const signedSpans: Span[] = [];
  for (const [index, span] of spans.entries()) {
    const name = findReservedName(bytes, span);
    if (name !== null) reserved[name].push(bytes.subarray(valueStart(span), span.end));
    if (name === 'sign') continue;
    signed.push(index);
    signedSpans.push(span);
  }
  if (!isQueryCovered(queryAppKey, reserved.appKey[0])) return unsignedQuery();

  const { parameterEncoding, strictParameters } = options;
  // Where nothing is encoded, every "&" and every first "=" is where it seems to be.
  const mayBeAmbiguous = parameterEncoding !== 'raw' && parameters.decoded !== parameters.raw;
  const ambiguous = mayBeAmbiguous && isAmbiguous(bytes, signedSpans, strictParameters);
  if (ambiguous && parameterEncoding === 'decoded') {
    return refuse(
      'AMBIGUOUS_PARAMETERS',
      'a parameter holds "&" and "=", so that its signature could be read in two ways',
    );
  }
  return {
    form,
    data: null,
    reserved,
    texts: parameterTexts(parameters, signed, parameterEncoding, ambiguous),
    shownText: () => sortedText(parameterEncoding === 'raw' ? parameters.raw : parameters.decoded, signed, false),
  };
}

function* readJson(request: SignableRequest, queryAppKey: Buffer | null): Work<ParameterRequest | Refusal> {
  const wrapper = yield* parsingWrapper(request.body, request);
  if (isRefusal(wrapper)) return wrapper;
  if (!isQueryCovered(queryAppKey, wrapper.appKey)) return unsignedQuery();
  const text: SigningTextBuilder = () => wrapperText(wrapper);
  return {
    form: 'json',
    data: wrapper.data,
    reserved: {
      appKey: [wrapper.appKey],
      sign: [wrapper.sign],
      apiTimestamp: wrapper.apiTimestamp === null ? [] : [wrapper.apiTimestamp],
    },
    texts: [text],
    shownText: text,
  };
}

/** The `appKey` that is all the query of a form or JSON request may hold; null for a query without parameters. */
function readQueryAppKey(path: string): Buffer | null | Refusal {
  const query = queryOf(path);
  if (query === '') return null;
  const parameters = parseParameters(Buffer.from(query, 'latin1'));
  if (isRefusal(parameters)) return unsignedQuery();
  const { bytes, spans } = parameters.decoded;
  const [span, second] = spans;
  if (span === undefined) return null;
  if (second !== undefined || findReservedName(bytes, span) !== 'appKey') return unsignedQuery();
  return bytes.subarray(valueStart(span), span.end);
}

function isQueryCovered(queryAppKey: Buffer | null, bodyAppKey: Buffer | undefined): boolean {
  return queryAppKey === null || (bodyAppKey?.equals(queryAppKey) ?? false);
}

function unsignedQuery(): Refusal {
  return refuse('MALFORMED_REQUEST', 'the query holds more than the appKey of the body, and nothing signs it');
}
