import { signHmac } from './sign.ts';
import { MAX_HMAC_BODY_BYTES, parseHmac } from './signature.ts';
import type { HmacOptions, PartnerEndpointOf } from '../../../model/endpoint.ts';
import type { HmacAlgorithm } from '../../../model/options/hmac-algorithms.ts';
import { isRefusal } from '../../refusal.ts';
import { headerOf, signableRequest, withHeaders } from '../../signing/client-request.ts';
import { grouped } from '../../../base/text/printable.ts';
import { EXAMPLE_NONCE, EXAMPLE_TIME, exampleSecret } from '../presentation/example-values.ts';
import { describeSent, describeUnsigned, requestTo, type UnsignedRequest } from '../presentation/example-request.ts';
import type { Example, Guide, Target } from '../presentation/guide.ts';
import type { Presentation } from '../presentation/presentation.ts';
import { clockRule, hintRule, replayRule } from '../presentation/signature-rules.ts';

const USUAL: HmacAlgorithm = 'hmac-sha256';
const SIGNATURE = /signature="([^"]*)"/;

const guide: Guide<'hmac'> = {
  title: 'HMAC signature',
  summary:
    'Every request carries `Date`, with a body `Digest`, and `Authorization: hmac …` with a signature over date, request line and digest.',
  rules: (options) => [
    ['Algorithm', options.algorithms.map((algorithm) => `\`${algorithm}\``).join(' or ')],
    ['Signed headers', '`date` and `request-line`, with a body also `digest`; more if you like, such as `host`'],
    ['Body', `\`Digest: SHA-256=\` and the base64 of its hash; at most ${grouped(MAX_HMAC_BODY_BYTES)} bytes`],
    clockRule(options),
    replayRule(options, 'a header `X-Nonce` with a random value, and sign it (`x-nonce` at the end of `headers`)'),
    ...hintRule(options),
  ],
  codes: ({ options }) => ({
    CREDENTIALS_MISSING: 'There is no `Authorization: hmac …`.',
    CREDENTIALS_MALFORMED:
      'A one-digit day or another zone than GMT in `Date`, a listed header that is not sent, a body without signed `Digest`, or an algorithm that is not allowed.',
    AUTHENTICATION_FAILED:
      'App Key, App Secret or the text that was signed is another one: path without query, another version than `HTTP/1.1` in the request line, white space at the end of the secret.',
    REQUEST_EXPIRED: `\`Date\` is more than ${String(options.clockSkewSeconds)} seconds from our clock.`,
    DIGEST_MISMATCH: '`Digest` is of another body, in hex, or not SHA-256.',
    ...(options.replayProtection
      ? { REQUEST_REPLAYED: 'This signature was used before. Sign every attempt again, with another nonce.' }
      : {}),
  }),
  settings: ({ algorithms, replayProtection }) => ({
    ...(algorithmOf(algorithms) === USUAL ? {} : { algorithm: algorithmOf(algorithms) }),
    ...(replayProtection ? { nonce: true } : {}),
  }),
  examples: (endpoint, target, appKey) => {
    const { reading, writing } = target;
    const read = (title: string, query: string, alsoSigned: readonly string[] = []): Example =>
      exampleOf(
        title,
        { method: reading, ...(query === '' ? {} : { query }) },
        { endpoint, target, appKey, alsoSigned },
      );
    const withBody: UnsignedRequest | null =
      writing === null ? null : { method: writing, type: 'application/json', body: '{"amount":12}' };
    return [
      read('Without a body', ''),
      read('With a query, and `host` signed too', '?year=2026&city=K%C3%B6ln+1', ['host']),
      withBody === null
        ? read('With an empty value and a repeated name', '?tag=a&tag=b&note=')
        : exampleOf('With a JSON body', withBody, { endpoint, target, appKey, alsoSigned: [] }),
    ];
  },
  exampleNote: '`signature` is the base64 of the HMAC of the string to sign, keyed with the App Secret.',
};

/** How people and programs of partners speak of this method. */
export const hmacPresentation: Presentation<'hmac'> = {
  name: 'HMAC signature',
  sends: 'requests are signed (HMAC)',
  client: {
    method: 'hmac',
    type: 'Hmac',
    pythonType: 'Hmac',
    goType: 'HMAC',
    factory: 'hmac',
    shellOptions: ['--sign-header host'],
  },
  guide,
};

interface Signer {
  readonly endpoint: PartnerEndpointOf<'hmac'>;
  readonly target: Target;
  readonly appKey: string;
  readonly alsoSigned: readonly string[];
}

function exampleOf(
  title: string,
  unsigned: UnsignedRequest,
  { endpoint, target, appKey, alsoSigned }: Signer,
): Example {
  const { replayProtection } = endpoint.options;
  const algorithm = algorithmOf(endpoint.options.algorithms);
  const options: HmacOptions = { ...endpoint.options, algorithms: [algorithm] };
  const plain = requestTo(target, unsigned);
  const request = replayProtection ? withHeaders(plain, [['X-Nonce', EXAMPLE_NONCE]]) : plain;
  const names = [...alsoSigned, ...(replayProtection ? ['x-nonce'] : [])];
  const signing = { appKey, secret: exampleSecret, alsoSigned: names, nowSeconds: EXAMPLE_TIME };
  const signed = signHmac(request, { ...signing, algorithm });
  if (isRefusal(signed)) throw new Error(`the example for ${endpoint.id} cannot be signed`);
  const parsed = parseHmac(signableRequest(signed), { ...options, acceptRealHttpVersion: false });
  if (isRefusal(parsed)) throw new Error(`the example for ${endpoint.id} cannot be read`);
  return {
    title,
    unsigned: describeUnsigned(target, unsigned),
    stringToSign: Buffer.from(parsed.texts[0] ?? '', 'latin1'),
    signature: SIGNATURE.exec(headerOf(signed, 'authorization') ?? '')?.[1] ?? null,
    sent: describeSent(signed),
  };
}

function algorithmOf(algorithms: readonly HmacAlgorithm[]): HmacAlgorithm {
  return algorithms.includes(USUAL) ? USUAL : (algorithms[0] ?? USUAL);
}
