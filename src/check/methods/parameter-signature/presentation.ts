import { MAX_FORM_BODY_BYTES, MAX_JSON_BODY_BYTES } from './body-form.ts';
import { MAX_PARAMETERS } from './parameters.ts';
import { parseParameterRequest } from './request.ts';
import { signParameters } from './sign.ts';
import { bytesOf } from './string-to-sign.ts';
import type { PartnerEndpointOf } from '../../../model/endpoint.ts';
import { isRefusal } from '../../refusal.ts';
import { signableRequest } from '../../signing/client-request.ts';
import { grouped } from '../../../base/text/printable.ts';
import { EXAMPLE_NONCE, EXAMPLE_TIME, exampleSecret } from '../presentation/example-values.ts';
import { describeSent, describeUnsigned, requestTo, type UnsignedRequest } from '../presentation/example-request.ts';
import type { Example, Guide, Target } from '../presentation/guide.ts';
import type { Presentation } from '../presentation/presentation.ts';
import { clockRule, hintRule, replayRule } from '../presentation/signature-rules.ts';

const FORM = 'application/x-www-form-urlencoded';
const SIGN = /(?:[?&\n]|")sign(?:=|":")([0-9a-f]{128})/;

const guide: Guide<'parameter-signature'> = {
  title: 'Parameter signature',
  summary:
    'Every request carries the parameters `appKey`, `apiTimestamp` and `sign`: in the URL, in a form, or in a wrapper around JSON.',
  rules: (options) => [
    ['Signature', 'SHA-512 of the sorted parameters and the App Secret, in lower-case hex'],
    [
      'Values',
      options.parameterEncoding === 'raw'
        ? 'signed as they are sent, percent-encoded (in the signing clients: encoding `raw`)'
        : 'signed before they are percent-encoded',
    ],
    ['Timestamp', options.requireTimestamp ? '`apiTimestamp` is required, in seconds' : '`apiTimestamp` in seconds'],
    clockRule(options),
    replayRule(options, 'a parameter `nonce` with a random value, which is signed like all others'),
    [
      'Body',
      `a form of at most ${grouped(MAX_FORM_BODY_BYTES)} bytes, or JSON, as sent ${grouped(MAX_JSON_BODY_BYTES)}`,
    ],
    ['Parameters', `at most ${String(MAX_PARAMETERS)}, with \`appKey\`, \`apiTimestamp\` and \`sign\``],
    ...(options.unsignedQuery === 'refuse' ? [['Query', 'none beside a body'] as const] : []),
    ...hintRule(options),
  ],
  codes: ({ options }) => ({
    CREDENTIALS_MISSING: 'There is no `appKey` or no `sign`.',
    CREDENTIALS_MALFORMED: `\`appKey\`, \`sign\` or \`apiTimestamp\` appears twice or is empty, ${
      options.requireTimestamp ? '`apiTimestamp` is missing, ' : ''
    }or \`sign\` is not 128 lower-case hex digits.`,
    AUTHENTICATION_FAILED: `App Key, App Secret or the text that was signed is another one: ${
      options.parameterEncoding === 'raw' ? '' : 'values signed percent-encoded, '
    }wrong order, white space at the end of the secret.`,
    REQUEST_EXPIRED: `\`apiTimestamp\` is more than ${String(options.clockSkewSeconds)} seconds from our clock.`,
    TOO_MANY_PARAMETERS: `There are more than ${String(MAX_PARAMETERS)} parameters. Send them as JSON.`,
    MALFORMED_WRAPPER: 'The JSON body is not the wrapper with `data`, `appKey`, `sign` and `apiTimestamp`.',
    BODY_NOT_VERIFIABLE: 'Another content type than a form or JSON, a charset other than UTF-8, or a compressed body.',
    ...(options.parameterEncoding === 'raw'
      ? {}
      : { AMBIGUOUS_PARAMETERS: 'A value holds `&` and later `=`, or a name one of them. Send it as JSON.' }),
    ...(options.replayProtection
      ? { REQUEST_REPLAYED: 'This signature was used before. Sign every attempt again, with another nonce.' }
      : {}),
  }),
  settings: ({ parameterEncoding, replayProtection }) => ({
    ...(parameterEncoding === 'raw' ? { encoding: 'raw' } : {}),
    ...(replayProtection ? { nonce: true } : {}),
  }),
  examples: (endpoint, target, appKey) =>
    requestsFor(target).map(([title, request]) => exampleOf(title, request, endpoint, target, appKey)),
  exampleNote:
    '`sign` is the SHA-512 of the string to sign with the App Secret right behind it, in lower-case hex. The order of the parameters in what is sent does not matter.',
};

/** How people and programs of partners speak of this method. */
export const parameterSignaturePresentation: Presentation<'parameter-signature'> = {
  name: 'signature over parameters',
  sends: 'parameters are signed',
  client: {
    method: 'parameter-signature',
    type: 'ParameterSignature',
    pythonType: 'ParameterSignature',
    goType: 'ParameterSignature',
    factory: 'parameterSignature',
    shellOptions: [],
  },
  guide,
};

const PARAMETERS = 'to=K%C3%B6ln+1';

/** One of each form that the endpoint's HTTP methods allow. */
function requestsFor({ reading, writing }: Target): readonly (readonly [title: string, request: UnsignedRequest])[] {
  const url = ['In the URL', { method: reading, query: `?${PARAMETERS}` }] as const;
  if (writing === null) {
    return [
      url,
      ['With an empty value and a repeated name', { method: reading, query: '?tag=b&tag=a&note=' }],
      ['Upper case sorts before lower case', { method: reading, query: '?zone=1&Zone=2' }],
    ];
  }
  return [
    url,
    ['As a form', { method: writing, type: FORM, body: PARAMETERS }],
    ['As JSON', { method: writing, type: 'application/json', body: '{"weight":"2 kg"}' }],
  ];
}

function exampleOf(
  title: string,
  unsigned: UnsignedRequest,
  { id, options }: PartnerEndpointOf<'parameter-signature'>,
  target: Target,
  appKey: string,
): Example {
  // A nonce is a parameter like others. A wrapper has no place for one, and its time differs instead.
  const request = requestTo(target, options.replayProtection ? withNonce(unsigned) : unsigned);
  const signing = { appKey, secret: exampleSecret, timestampSeconds: EXAMPLE_TIME, options };
  const signed = signParameters(request, signing);
  if (isRefusal(signed)) throw new Error(`the example for ${id} cannot be signed`);
  const parsed = parseParameterRequest(signableRequest(signed), options);
  if (isRefusal(parsed)) throw new Error(`the example for ${id} cannot be read`);
  const sent = describeSent(signed);
  return {
    title,
    unsigned: describeUnsigned(target, unsigned),
    stringToSign: bytesOf(parsed.texts[0]?.() ?? []),
    signature: SIGN.exec(sent)?.[1] ?? null,
    sent,
  };
}

function withNonce(request: UnsignedRequest): UnsignedRequest {
  const { query, type, body } = request;
  if (query !== undefined) return { ...request, query: `${query}&nonce=${EXAMPLE_NONCE}` };
  return type === FORM ? { ...request, body: `${String(body)}&nonce=${EXAMPLE_NONCE}` } : request;
}
