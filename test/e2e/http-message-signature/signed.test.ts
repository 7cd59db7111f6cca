import assert from 'node:assert/strict';
import { type PlainRequest, type Protocol, protocols } from '../../support/http/http-client.ts';
import { type Fields, fieldValue, fieldValues } from '../../support/http/http-message.ts';
import {
  contentDigestText,
  type HttpSignatureParts,
  newKeyPair,
  signedByKey,
  USUAL_COVERED,
} from '../../support/partner/http-signature.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const method = 'http-message-signature';
const keys = {
  'acme-ed25519': newKeyPair('ed25519'),
  'acme-p256': newKeyPair('p-256'),
  'acme-p384': newKeyPair('p-384'),
  'acme-rsa': newKeyPair('rsa'),
  'acme-former': newKeyPair('ed25519'),
};
type KeyName = keyof typeof keys;
type Parts = Partial<Omit<HttpSignatureParts, 'key'>> & { readonly by?: KeyName };

const jwkOf = (name: KeyName) => ({ jwk: keys[name].publicKey.jwk });
const credentials = [
  {
    ...{ id: 'acme-ed25519', methods: [method], appKey: 'acme-ed25519', publicKey: jwkOf('acme-ed25519') },
    retiringPublicKey: { publicKey: jwkOf('acme-former'), expiresAt: '2999-01-01T00:00:00Z' },
  },
  ...(['acme-p256', 'acme-p384', 'acme-rsa'] as const).map((id) => ({
    ...{ id, methods: [method], appKey: id, publicKey: jwkOf(id) },
  })),
];

function signed({ by = 'acme-ed25519', ...parts }: Parts = {}): PlainRequest & { readonly headers: Fields } {
  return signedByKey({ target: `/${method}`, keyid: by, ...parts, key: keys[by] });
}

/** What may be sent, and is right. */
const accepted: Readonly<Record<string, Parts>> = {
  'what most libraries cover': {},
  'a key on P-256': { by: 'acme-p256' },
  'a key on P-384': { by: 'acme-p384' },
  'an RSA key': { by: 'acme-rsa' },
  'the former key, in its grace period': { by: 'acme-former', keyid: 'acme-ed25519' },
  'a query': {
    target: `/${method}/%c3%A9;v=1/?a=1&&b=%2F+&a`,
    covered: ['"@method"', '"@authority"', '"@request-target"'],
  },
  'a bare question mark': { target: `/${method}?` },
  'the whole address': { covered: ['"@method"', '"@target-uri"'], host: 'API.example.com:443' },
  'the authority in normal form': { host: 'API.example.com:443' },
  'the scheme of the endpoint': { covered: [...USUAL_COVERED, '"@scheme"'] },
  'a parameter of the query': {
    target: `/${method}?a=b+c`,
    covered: [...USUAL_COVERED, '"@query-param";name="a"'],
    values: { '"@query-param";name="a"': 'b%20c' },
  },
  'a body': { method: 'POST', body: '{"amount":1}' },
  'a body of every byte, with SHA-512': {
    ...{ method: 'PUT', body: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)) },
    digest: contentDigestText(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), 'sha-512'),
  },
  'length and type of a body, and the host': {
    ...{ method: 'POST', body: '{"amount":1}', headers: [['Content-Type', 'application/json']] },
    covered: [...USUAL_COVERED, '"content-digest"', '"content-type"', '"content-length"', '"host"'],
    values: { '"content-length"': '12' },
  },
  'a header that came twice': {
    headers: [
      ['X-Order', '2'],
      ['X-Order', '1'],
    ],
    covered: [...USUAL_COVERED, '"x-order"'],
  },
  'lines in base64': {
    headers: [
      ['X-Order', '2'],
      ['X-Order', '1'],
    ],
    covered: [...USUAL_COVERED, '"x-order";bs'],
    values: { '"x-order";bs': ':Mg==:, :MQ==:' },
  },
  'an empty header': { headers: [['X-Order', '']], covered: [...USUAL_COVERED, '"x-order"'] },
};

/** One change each to a request that was signed as it stood before. */
const tamperings: Readonly<Record<string, (request: ReturnType<typeof signed>) => PlainRequest>> = {
  'the method': (request) => ({ ...request, method: 'PUT' }),
  'the path': (request) => ({ ...request, target: `/${method}/8?a=1` }),
  'the query': (request) => ({ ...request, target: `/${method}/7?a=2` }),
  'the query cut off': (request) => ({ ...request, target: `/${method}/7` }),
  'the host': (request) => ({ ...request, host: 'api.example.org' }),
  'the port': (request) => ({ ...request, host: 'api.example.com:8443' }),
  'the digest, with the body': (request) => ({
    ...request,
    headers: changed(request.headers, 'Content-Digest', () => contentDigestText('{"amount":2}')),
    body: Buffer.from('{"amount":2}'),
  }),
  'a signed header': (request) => ({ ...request, headers: changed(request.headers, 'X-Order', () => '8') }),
  'the keyid': (request) => ({
    ...request,
    headers: changed(request.headers, 'Signature-Input', (value) => value.replace('acme-ed25519', 'acme-p256')),
  }),
  'the order of components': (request) => ({
    ...request,
    headers: changed(request.headers, 'Signature-Input', (value) =>
      value.replace('"@method" "@authority"', '"@authority" "@method"'),
    ),
  }),
  'an unknown parameter of the signature': (request) => ({
    ...request,
    headers: changed(request.headers, 'Signature-Input', (value) => `${value};x`),
  }),
};

function changed(headers: Fields, name: string, change: (value: string) => string): Fields {
  return headers.map((field) => (field[0] === name ? ([name, change(field[1])] as const) : field));
}

describe('a request with an HTTP message signature', () => {
  const stack = useSignedStack(
    method,
    [
      { id: method, authentication: method },
      { id: 'once', authentication: method, options: { replayProtection: true } },
      { id: 'told', authentication: method, options: { signatureHints: true, coverAlso: ['content-type'] } },
      { id: 'watched', authentication: method, options: { mode: 'observe' } },
    ],
    {},
    credentials,
  );
  const others = {
    input: 'proxy=("@method");created=1;keyid="https://proxy.example/key"',
    signature: 'proxy=:YQ==:',
  };

  for (const protocol of protocols) {
    for (const [what, parts] of Object.entries(accepted)) {
      it(`is accepted: ${what}, over ${protocol}`, async () => {
        const { headers } = stack.assertAllowed(await stack.send(protocol, signed(parts)));
        assert.equal(fieldValue(headers, 'x-consumer-id'), 'acme');
        assert.deepEqual([fieldValues(headers, 'signature'), fieldValues(headers, 'signature-input')], [[], []]);
      });
    }

    const original: Parts = {
      ...{ method: 'POST', target: `/${method}/7?a=1`, headers: [['X-Order', '7']], body: '{"amount":1}' },
      covered: [...USUAL_COVERED, '"content-digest"', '"x-order"'],
    };

    for (const [part, change] of Object.entries(tamperings)) {
      it(`is refused when it was changed: ${part}, over ${protocol}`, async () => {
        stack.assertRefused(await stack.send(protocol, change(signed(original))), 'AUTHENTICATION_FAILED');
      });
    }

    it(`is refused with another body, or without one, over ${protocol}`, async () => {
      const { body, ...rest } = signed(original);
      assert.ok(body !== undefined);
      for (const other of ['{"amount":2}', '{"amount":1} ']) {
        stack.assertRefused(await stack.send(protocol, { ...rest, body: Buffer.from(other) }), 'DIGEST_MISMATCH');
      }
      stack.assertRefused(await stack.send(protocol, rest), 'DIGEST_MISMATCH');
    });

    it(`leaves signatures of others to the back end, over ${protocol}`, async () => {
      const joined = stack.assertAllowed(await stack.send(protocol, signed({ others })));
      assert.deepEqual(fieldValues(joined.headers, 'signature-input'), [others.input]);
      assert.deepEqual(fieldValues(joined.headers, 'signature'), [others.signature]);
      stack.running().backend.reset();
      const request = signed();
      const lines = {
        ...request,
        headers: [['Signature-Input', others.input], ['Signature', others.signature], ...request.headers],
      } as const;
      const apart = stack.assertAllowed(await stack.send(protocol, lines));
      assert.deepEqual(fieldValues(apart.headers, 'signature-input'), [others.input]);
      assert.deepEqual(fieldValues(apart.headers, 'signature'), [others.signature]);
    });

    it(`is accepted once with a nonce, over ${protocol}`, async () => {
      const target = '/once';
      const more = `;nonce="${protocol} ${String(Math.random())}"`;
      stack.assertRefused(await stack.send(protocol, signed({ target })), 'CREDENTIALS_MALFORMED');
      stack.assertAllowed(await stack.send(protocol, signed({ target, more })));
      stack.running().backend.reset();
      stack.assertRefused(await stack.send(protocol, signed({ target, more })), 'REQUEST_REPLAYED');
    });

    it(`is told what to sign, over ${protocol}`, async () => {
      const headers = [['Content-Type', 'text/plain']] as const;
      const answer = await stack.send(protocol, signed({ target: '/told', method: 'POST', body: 'a', headers }));
      stack.assertRefused(answer, 'CREDENTIALS_MALFORMED');
      const wanted = '("@method" "@authority" "@path" "@query" "content-digest" "content-type");created';
      assert.deepEqual(fieldValues(answer.headers, 'accept-signature'), [`sig1=${wanted}`]);
      const covered = wanted.slice(1, wanted.indexOf(')')).split(' ');
      const again = signed({ target: '/told', method: 'POST', body: 'a', headers, covered });
      stack.assertAllowed(await stack.send(protocol, again));
      stack.running().backend.reset();
      const usual = ['"@method"', '"@authority"', '"@path"', '"@query"', '"content-type"'];
      const by = { by: 'acme-former', keyid: 'nobody', created: 1 } as const;
      const wrong = signed({ ...by, target: '/told', headers, covered: usual });
      const last = `"@signature-params": (${usual.join(' ')});created=1;keyid="nobody"`;
      const lines = ['"@method": GET', '"@authority": api.example.com', '"@path": /told', '"@query": ?'];
      stack.assertRefused(await stack.send(protocol, wrong), 'AUTHENTICATION_FAILED', {
        stringToSign: [...lines, '"content-type": text/plain', last].join('\n'),
      });
    });
  }

  it('is let through in observe mode, without the signature, and says why in the access log', async () => {
    const protocol: Protocol = 'HTTP/1.1';
    const answer = await stack.send(protocol, signed({ target: '/watched', created: 1 }));
    const { headers } = stack.assertAllowed(answer);
    assert.deepEqual([fieldValues(headers, 'signature'), fieldValues(headers, 'x-consumer-id')], [[], []]);
    const entry = await stack.logged(answer);
    assert.equal(entry['code'], 'REQUEST_EXPIRED', JSON.stringify(entry));
  });
});
