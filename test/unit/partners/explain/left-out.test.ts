import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Explanation } from '../../../../src/partners/explain/explanation.ts';
import { explain } from '../../../../src/partners/explain/explain.ts';
import { knownToPartner } from '../../../../src/partners/explain/judge-request.ts';
import { readRequest } from '../../../../src/partners/explain/read/read-request.ts';
import { methods } from '../../../../src/check/methods/methods.ts';
import type { AuthenticationMethod, PartnerEndpoint } from '../../../../src/model/endpoint.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { isRefusal } from '../../../../src/check/refusal.ts';
import type { ClientRequest } from '../../../../src/check/signing/client-request.ts';
import { encodeClaims, encodeJson } from '../../../../src/check/tokens/token-claims.ts';
import { appKey, hmacEndpoint, keyEndpoint, nowSeconds, parameterEndpoint, secret } from './endpoints.ts';

const { id, description, labels, match, limits } = keyEndpoint();
const tokenEndpoint: PartnerEndpoint = {
  ...{ id, description, labels, match, limits, enabled: true, scenario: 'partner-openapi' },
  ...{ authentication: 'oauth2', accessCondition: 'authenticated' },
  options: { mode: 'enforce', onLimiterFailure: 'allow', hideCredentials: true, tokenInQuery: false },
};
/** The methods whose requests are made here. */
type MadeMethod = Exclude<AuthenticationMethod, 'http-message-signature' | 'jwt' | 'certificate'>;
const endpoints: Readonly<Record<MadeMethod, PartnerEndpoint>> = {
  key: keyEndpoint({ keyNames: [{ header: 'X-App-Key' }] }),
  hmac: hmacEndpoint(),
  'parameter-signature': parameterEndpoint(),
  oauth2: tokenEndpoint,
};
const token = [
  encodeJson({ typ: 'at+jwt', alg: 'HS256' }),
  encodeClaims({
    ...{ issuer: 'https://a.example', clientId: appKey, consumerId: 'acme', credentialId: 'acme-oauth2' },
    ...{ issuedAt: nowSeconds, expiresAt: nowSeconds + 600, tokenId: 'abc', certificate: null },
  }),
  'c2lnbmF0dXJl',
].join('.');

function signed(method: MadeMethod, request: ClientRequest): ClientRequest {
  if (method === 'oauth2') return { ...request, headers: [...request.headers, ['Authorization', `Bearer ${token}`]] };
  const { signer } = methods[method];
  // The endpoint is one of that method.
  const options = endpoints[method].options as never;
  const signing = { appKey, secret: Secret.fromText(secret), alsoSigned: [], nowSeconds };
  const made = signer.takes === 'secret' ? signer.sign(request, options, signing) : undefined;
  assert.ok(made !== undefined && !isRefusal(made), JSON.stringify(made));
  return made;
}

/** What tools leave out of the text of a request. */
interface Loss {
  /** How many bytes of the body are shown; null for all. */
  readonly bodyBytes: number | null;
  readonly hasLength: boolean;
  readonly isMasked: boolean;
  readonly headers: 'all' | 'without authorization' | 'none';
}

const forms = ['raw', 'verbose', 'har', 'har as pairs'] as const;

function written(request: ClientRequest, form: (typeof forms)[number], loss: Loss): string {
  const { method, path, authority } = request;
  const body = request.body.subarray(0, loss.bodyBytes ?? request.body.length).toString('latin1');
  const length = String(request.body.length);
  const framing: readonly (readonly [string, string])[] = loss.hasLength ? [['Content-Length', length]] : [];
  const shown = [['Host', authority] as const, ...request.headers, ...framing].map(
    ([name, value]) => [name, loss.isMasked ? value.replace(/(?<=^(Bearer )?).{43,}$/, '[redacted]') : value] as const,
  );
  if (form === 'raw' || form === 'verbose') {
    const lines = [`${method} ${path} HTTP/1.1`, ...shown.map(([name, value]) => `${name}: ${value}`), ''];
    return form === 'raw' ? [...lines, body].join('\r\n') : lines.map((line) => `> ${line}\n`).join('');
  }
  const isForm = shown.some(([, value]) => value === 'application/x-www-form-urlencoded');
  const params = Array.from(new URLSearchParams(body), ([name, value]) => ({ name, value }));
  const postData = form === 'har as pairs' && isForm ? { params } : { text: body };
  const headers = shown
    .filter(([name]) => loss.headers === 'all' || (loss.headers !== 'none' && name !== 'Authorization'))
    .map(([name, value]) => ({ name, value }));
  const har = { method, url: `https://${authority}${path}`, headers, ...(body === '' ? {} : { postData }) };
  return JSON.stringify({ log: { entries: [{ request: har }] } });
}

async function explained(method: MadeMethod, text: string): Promise<Explanation> {
  const read = readRequest(Buffer.from(text, 'latin1'), { entry: null, body: null });
  assert.ok('request' in read, JSON.stringify(read));
  const endpoint = endpoints[method];
  const asked = { appKey: method === 'key' ? null : appKey, nowSeconds, isTimeKnown: true };
  const known = { ...asked, secret: method === 'key' ? appKey : secret };
  return await explain(read.request, endpoint, { ...asked, leftOut: read.leftOut }, (sent) =>
    knownToPartner(endpoint, known, sent),
  );
}

const bodies = [
  ['application/x-www-form-urlencoded', 'a=1&name=two%20words&b='],
  ['application/json', '{"a":1}'],
] as const;

const requests = fc
  .record({ body: fc.constantFrom(...bodies, null), path: fc.constantFrom('/orders', '/orders?x=1') })
  .map(({ body, path }): ClientRequest => {
    const common = { authority: 'api.example.com', path: body === null ? path : '/orders' };
    if (body === null) return { ...common, method: 'GET', headers: [], body: Buffer.alloc(0) };
    const [type, text] = body;
    return { ...common, method: 'POST', headers: [['Content-Type', type]], body: Buffer.from(text) };
  });

const losses: fc.Arbitrary<Loss> = fc.record({
  bodyBytes: fc.option(fc.nat(8)),
  hasLength: fc.boolean(),
  isMasked: fc.boolean(),
  headers: fc.constantFrom('all', 'without authorization', 'none'),
});

/** A body whose end is missing shows that only by its length. */
function canBeSeen({ bodyBytes, hasLength }: Loss): boolean {
  return hasLength || bodyBytes === null || bodyBytes === 0;
}

describe('explaining a right request whose text does not show all of it', () => {
  for (const method of Object.keys(endpoints) as MadeMethod[]) {
    it(`invents no mistake: ${method}`, async () => {
      const property = fc.asyncProperty(requests, fc.constantFrom(...forms), losses, async (request, form, loss) => {
        fc.pre(canBeSeen(loss));
        const text = written(signed(method, request), form, loss);
        const { verdict, mistakes, hidden } = await explained(method, text);
        assert.deepEqual(mistakes, [], text);
        assert.ok(verdict === 'right' || verdict === 'unjudged', `${verdict}: ${text}`);
        assert.ok(verdict === 'unjudged' || hidden.length === 0);
      });
      await fc.assert(property, { numRuns: 300 });
    });

    it(`says what is right where the whole of it is shown: ${method}`, async () => {
      const whole: Loss = { bodyBytes: null, hasLength: true, isMasked: false, headers: 'all' };
      const property = fc.asyncProperty(requests, fc.constantFrom('raw', 'har'), async (request, form) => {
        const { verdict, hidden } = await explained(method, written(signed(method, request), form, whole));
        assert.deepEqual([verdict, hidden], [method === 'oauth2' ? 'unjudged' : 'right', []]);
      });
      await fc.assert(property, { numRuns: 30 });
    });
  }

  const post = { method: 'POST', path: '/orders', authority: 'api.example.com', body: Buffer.from('{"a":1}') };
  const json: ClientRequest = { ...post, headers: [['Content-Type', 'application/json']] };
  const verbose: Loss = { bodyBytes: 0, hasLength: true, isMasked: false, headers: 'all' };

  it('judges the rest', async () => {
    const text = written(signed('hmac', json), 'verbose', verbose);
    const rest = await explained('hmac', text);
    assert.deepEqual([rest.verdict, rest.hidden, rest.answer.code], ['unjudged', ['body'], null]);
    assert.deepEqual(rest.notes, ['Whether the Digest is that of the body that was sent is not known.']);
    const wrong: readonly (readonly [MadeMethod, string, string])[] = [
      ['hmac', text.replace('/orders', '/orders?x=1'), 'path-without-query'],
      ['hmac', text.replace(/Digest: .*\n> /, ''), 'digest-missing'],
      ['hmac', text.replace('api.example.com', 'b.example.com'), 'endpoint-not-found'],
      ['key', written(json, 'verbose', verbose), 'key-missing'],
      ['parameter-signature', text.replace('/orders', '/a/../orders'), 'path-not-normal'],
      ['oauth2', written(json, 'verbose', verbose), 'token-missing'],
    ];
    for (const [method, sent, name] of wrong) {
      const { verdict, mistakes } = await explained(method, sent);
      assert.deepEqual([verdict, mistakes.map((each) => each.name).includes(name)], ['wrong', true], name);
    }
  });

  it('says that a browser left the credentials out', async () => {
    const text = written(signed('hmac', json), 'har', { ...verbose, headers: 'without authorization' });
    const { verdict, hidden, notes } = await explained('hmac', text);
    assert.deepEqual([verdict, hidden], ['unjudged', ['body', 'credentials']]);
    assert.match(notes.join('\n'), /browsers leave Authorization out of a HAR unless it is saved with sensitive data/);
    const keyed = await explained('key', written(json, 'har', { ...verbose, headers: 'without authorization' }));
    assert.deepEqual(
      keyed.mistakes.map(({ name }) => name),
      ['key-missing'],
    );
  });
});
