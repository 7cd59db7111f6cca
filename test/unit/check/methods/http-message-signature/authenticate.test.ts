import assert from 'node:assert/strict';
import type { HttpSignatureOptions } from '../../../../../src/model/endpoint.ts';
import { headerOf } from '../../../../support/pipeline/answer.ts';
import { fixedClock, NOON } from '../../../../support/time/fixed-clock.ts';
import {
  contentDigestText,
  type HttpSignatureParts,
  type KeyPairKind,
  newKeyPair,
  signedByKey,
  USUAL_COVERED,
} from '../../../../support/partner/http-signature.ts';
import { ACME_KEY_ID, keyCredential, keyGateway } from '../../../../support/partner/key-gateway.ts';
import { asCheck, lastDecision, type SignedParts } from '../../../../support/partner/signed-gateway.ts';

const key = newKeyPair();
const foreign = newKeyPair();

type Parts = Partial<HttpSignatureParts>;
type GatewayParts = Omit<SignedParts<'http-message-signature'>, 'elsewhere' | 'isLimited' | 'options'>;

const signed = (parts: Parts = {}) => asCheck(signedByKey({ key, created: NOON, ...parts }));

async function outcomeOf(parts: Parts, options: Partial<HttpSignatureOptions> = {}, more: GatewayParts = {}) {
  const gateway = keyGateway(key.publicKey, { options, ...more });
  const answer = await gateway.send(signed(parts));
  return { answer, ...lastDecision(gateway) };
}

async function codeOf(parts: Parts, options?: Partial<HttpSignatureOptions>, more?: GatewayParts): Promise<string> {
  return (await outcomeOf(parts, options, more)).code;
}

async function faultOf(parts: Parts, options?: Partial<HttpSignatureOptions>, more?: GatewayParts) {
  const { code, detail } = await outcomeOf(parts, options, more);
  return `${code}: ${detail ?? ''}`;
}

describe('http-message-signature authentication', () => {
  it('allows a right signature, as the consumer who has the key', async () => {
    const { answer, code } = await outcomeOf({});
    assert.equal(code, 'ALLOWED');
    assert.ok(answer.kind === 'allowed');
    assert.deepEqual(answer.upstream, [
      ['x-consumer-id', 'acme'],
      ['x-consumer-username', 'Acme Ltd'],
      ['x-credential-identifier', 'acme-signer'],
    ]);
    assert.deepEqual(answer.removed, ['signature-input', 'signature']);
    assert.equal(answer.metadata['authentication'], 'http-message-signature');
  });

  describe('verifies by the kind of the key', () => {
    for (const kind of ['ed25519', 'p-256', 'p-384', 'rsa'] as const satisfies readonly KeyPairKind[]) {
      it(kind, async () => {
        const pair = newKeyPair(kind);
        const body = '{"amount":12}';
        const request = signedByKey({ key: pair, created: NOON, method: 'POST', target: '/signed/a?b=c', body });
        const gateway = keyGateway(pair.publicKey);
        await gateway.send(asCheck(request));
        assert.equal(lastDecision(gateway).code, 'ALLOWED');
        await gateway.send(asCheck({ ...request, method: 'PUT' }));
        assert.equal(lastDecision(gateway).code, 'AUTHENTICATION_FAILED');
        await gateway.send(asCheck({ ...request, target: '/signed/a?b=d' }));
        assert.equal(lastDecision(gateway).code, 'AUTHENTICATION_FAILED');
        await gateway.send(asCheck({ ...request, host: 'api.example.org' }));
        assert.equal(lastDecision(gateway).code, 'AUTHENTICATION_FAILED');
        await gateway.send(asCheck({ ...request, body: '{"amount":13}' }));
        assert.equal(lastDecision(gateway).code, 'DIGEST_MISMATCH');
      });
    }

    it('rsa-v1_5-sha256 only where the endpoint lists it', async () => {
      const rsa = newKeyPair('rsa');
      for (const more of ['', ';alg="rsa-v1_5-sha256"']) {
        const request = asCheck(signedByKey({ key: rsa, created: NOON, algorithm: 'rsa-v1_5-sha256', more }));
        const strict = keyGateway(rsa.publicKey);
        await strict.send(request);
        assert.equal(lastDecision(strict).code, more === '' ? 'AUTHENTICATION_FAILED' : 'CREDENTIALS_MALFORMED');
        const lax = keyGateway(rsa.publicKey, { options: { algorithms: ['rsa-pss-sha512', 'rsa-v1_5-sha256'] } });
        await lax.send(request);
        assert.equal(lastDecision(lax).code, 'ALLOWED');
      }
    });

    it('and refuses one that the endpoint does not list, without saying that the key is known', async () => {
      assert.equal(await codeOf({}, { algorithms: ['ecdsa-p256-sha256'] }), 'AUTHENTICATION_FAILED');
    });

    it('and takes an alg that equals it, and no other', async () => {
      assert.equal(await codeOf({ more: ';alg="ed25519"' }), 'ALLOWED');
      assert.equal(await codeOf({ more: ';alg="ecdsa-p256-sha256"' }), 'AUTHENTICATION_FAILED');
      for (const [alg, detail] of [
        ['hmac-sha256', 'the algorithm is unknown'],
        ['Ed25519', 'the algorithm is unknown'],
        ['rsa-v1_5-sha256', 'the algorithm rsa-v1_5-sha256 is not allowed on this endpoint'],
      ] as const) {
        assert.equal(await faultOf({ more: `;alg="${alg}"` }), `CREDENTIALS_MALFORMED: ${detail}`);
      }
    });
  });

  it('takes a retiring key until its end', async () => {
    const former = newKeyPair('p-256');
    const retiringPublicKey = { publicKey: former.publicKey, expiresAt: NOON + 10 };
    const clock = fixedClock(NOON);
    const gateway = keyGateway(key.publicKey, {
      clock,
      credentials: [keyCredential(key.publicKey, { retiringPublicKey })],
    });
    await gateway.send(signed({ key: former }));
    assert.equal(lastDecision(gateway).code, 'ALLOWED');
    await gateway.send(signed());
    assert.equal(lastDecision(gateway).code, 'ALLOWED');
    clock.advance(10);
    await gateway.send(signed({ key: former }));
    assert.equal(lastDecision(gateway).code, 'AUTHENTICATION_FAILED');
  });

  describe('gives one answer to', () => {
    const cases: Readonly<Record<string, [Parts, GatewayParts?]>> = {
      'a wrong signature': [{ key: foreign }],
      'an unknown App Key': [{ keyid: 'nobody' }],
      'a revoked credential': [{}, { credentials: [keyCredential(key.publicKey, { state: 'revoked' })] }],
      'an expired credential': [{}, { credentials: [keyCredential(key.publicKey, { expiresAt: NOON })] }],
      'a credential of another method': [{}, { credentials: [keyCredential(key.publicKey, { methods: ['oauth2'] })] }],
    };
    for (const [what, [parts, more]] of Object.entries(cases)) {
      it(what, async () => {
        const { answer, code } = await outcomeOf(parts, { signatureHints: true }, more);
        assert.equal(code, 'AUTHENTICATION_FAILED');
        assert.ok(answer.kind === 'refused');
        const { requestId, ...body } = answer.body;
        assert.ok(requestId.length > 0);
        const keyid = parts.keyid ?? ACME_KEY_ID;
        const lines = ['"@method": GET', '"@authority": api.example.com', '"@path": /signed', '"@query": ?'];
        const last = `"@signature-params": (${USUAL_COVERED.join(' ')});created=${String(NOON)};keyid="${keyid}"`;
        assert.deepEqual(body, {
          code,
          message: 'The credentials or the signature are not valid.',
          stringToSign: [...lines, last].join('\n'),
        });
        assert.equal(headerOf(answer.headers, 'www-authenticate'), 'Signature realm="postern"');
      });
    }
  });

  describe('chooses the signature', () => {
    const others = {
      input: 'proxy=("@method");created=1;keyid="https://proxy.example/key"',
      signature: 'proxy=:YQ==:',
    };

    it('whose keyid is known, and forwards the others', async () => {
      const { answer, code } = await outcomeOf({ others });
      assert.equal(code, 'ALLOWED');
      assert.ok(answer.kind === 'allowed');
      assert.equal(headerOf(answer.upstream, 'signature-input'), others.input);
      assert.equal(headerOf(answer.upstream, 'signature'), others.signature);
      assert.deepEqual(answer.removed, []);
    });

    it('with the tag of the endpoint', async () => {
      const tag = 'orders';
      const more = `;tag="${tag}"`;
      assert.equal(await codeOf({ more, others }, { tag }), 'ALLOWED');
      const twice = { input: `a=();created=1;keyid="b"${more}`, signature: 'a=:YQ==:' };
      assert.equal(
        await faultOf({ more, others: twice }, { tag }),
        'CREDENTIALS_MALFORMED: more than one signature has the tag of this endpoint',
      );
      assert.equal(await codeOf({}, { tag }), 'AUTHENTICATION_FAILED');
      assert.equal(
        await faultOf({ parameters: `;created=${String(NOON)}${more}` }, { tag }),
        'CREDENTIALS_MISSING: the signature sends no keyid',
      );
    });

    it('but not between two that are known, which only a right one of them is told', async () => {
      const covering = `(${USUAL_COVERED.join(' ')});created=${String(NOON)}`;
      const twice = { input: `a=${covering};keyid="${ACME_KEY_ID}"`, signature: 'a=:YQ==:' };
      assert.equal(await codeOf({ others: twice }), 'AUTHENTICATION_FAILED');
      const gateway = keyGateway(key.publicKey);
      const { headers, ...request } = signedByKey({ key, created: NOON });
      const after = { 'Signature-Input': twice.input, Signature: twice.signature };
      const both = headers.flatMap(([name, value]) => [
        [name, value] as const,
        ...Object.entries(after).filter(([each]) => each === name),
      ]);
      await gateway.send(asCheck({ ...request, headers: both }));
      const { code, detail } = lastDecision(gateway);
      assert.equal(`${code}: ${detail ?? ''}`, 'CREDENTIALS_MALFORMED: more than one signature has a known keyid');
      assert.equal(await codeOf({ others, keyid: 'nobody' }), 'AUTHENTICATION_FAILED');
    });

    describe('without telling whether a keyid is known, in', () => {
      const lacking = { input: `a=("@method");created=${String(NOON)};keyid="KEYID"`, signature: 'a=:YQ==:' };
      const covering = { ...lacking, input: lacking.input.replace('"@method"', USUAL_COVERED.join(' ')) };
      const cases: Readonly<Record<string, [Parts, typeof lacking]>> = {
        'one that covers too little, beside a whole one': [{ keyid: 'nobody' }, lacking],
        'a whole one beside another': [{ keyid: 'nobody' }, covering],
        'one that covers too little, beside another such': [{ keyid: 'nobody', covered: [] }, lacking],
        'a whole one beside one of a known keyid': [{ key: foreign }, covering],
      };
      for (const [what, [parts, { input, signature }]] of Object.entries(cases)) {
        it(what, async () => {
          const answers = [];
          for (const keyid of [ACME_KEY_ID, 'unknown-key']) {
            const guess = { input: input.replace('KEYID', keyid), signature };
            const { answer } = await outcomeOf({ ...parts, others: guess }, { signatureHints: true });
            assert.ok(answer.kind === 'refused');
            const { requestId, ...body } = answer.body;
            assert.ok(requestId.length > 0);
            answers.push([answer.status, body, headerOf(answer.headers, 'accept-signature')]);
          }
          assert.deepEqual(answers[0], answers[1]);
        });
      }
    });
  });

  describe('compares created with the clock', () => {
    for (const [distance, code] of [
      [-301, 'REQUEST_EXPIRED'],
      [-300, 'ALLOWED'],
      [60, 'ALLOWED'],
      [61, 'REQUEST_EXPIRED'],
    ] as const) {
      it(`${String(distance)} s away: ${code}`, async () => {
        assert.equal(await codeOf({ created: NOON + distance }), code);
      });
    }

    it('and expires', async () => {
      assert.equal(await codeOf({ more: `;expires=${String(NOON + 1)}` }), 'ALLOWED');
      assert.equal(await codeOf({ more: `;expires=${String(NOON)}` }), 'REQUEST_EXPIRED');
    });

    it('after the signature was right', async () => {
      assert.equal(await codeOf({ created: NOON - 301, key: foreign }), 'AUTHENTICATION_FAILED');
    });
  });

  describe('wants covered', () => {
    const without = (name: string): readonly string[] => USUAL_COVERED.filter((each) => each !== `"${name}"`);
    for (const [covered, missing] of [
      [[], '@method'],
      [without('@method'), '@method'],
      [without('@authority'), '@authority (or @target-uri)'],
      [without('@path'), '@path (or @target-uri, or @request-target)'],
      [without('@query'), '@query (or @target-uri, or @request-target)'],
      [[...without('@query'), '"@query-param";name="a"'], '@query (or @target-uri, or @request-target)'],
      [['"@method"', '"@request-target"'], '@authority (or @target-uri)'],
      [['"@method"', '"@request-target"', '"host"'], '@authority (or @target-uri)'],
    ] as const) {
      it(`${missing}, not only (${covered.join(' ')})`, async () => {
        assert.equal(
          await faultOf({ covered, target: '/signed?a=1', values: { '"@query-param";name="a"': '1' } }),
          `CREDENTIALS_MALFORMED: the signature does not cover ${missing}`,
        );
      });
    }

    for (const covered of [
      ['"@method"', '"@target-uri"'],
      ['"@method"', '"@authority"', '"@request-target"'],
      USUAL_COVERED,
    ]) {
      it(`(${covered.join(' ')}), which is enough`, async () => {
        assert.equal(await codeOf({ covered, target: '/signed?a=1' }), 'ALLOWED');
      });
    }

    it('no query where there is none', async () => {
      assert.equal(await codeOf({ covered: without('@query') }), 'ALLOWED');
    });

    it('the digest of a body, without parameters', async () => {
      const body = 'text';
      const detail = 'CREDENTIALS_MALFORMED: the signature does not cover content-digest, as there is a body';
      assert.equal(await faultOf({ body, covered: USUAL_COVERED }), detail);
      assert.equal(await faultOf({ body, digest: null }), detail);
      const part = '"content-digest";key="sha-256"';
      const values = { [part]: contentDigestText(body).replace('sha-256=', '') };
      assert.equal(await faultOf({ body, covered: [...USUAL_COVERED, part], values }), detail);
    });

    it('what the endpoint lists, in every request', async () => {
      const coverAlso = ['content-type', '@scheme'];
      const covered = [...USUAL_COVERED, '"@scheme"'];
      const headers = [['Content-Type', 'text/plain']] as const;
      assert.equal(
        await faultOf({ covered }, { coverAlso }),
        'CREDENTIALS_MALFORMED: the signature does not cover content-type',
      );
      assert.equal(
        await faultOf({ headers, covered: [...USUAL_COVERED, '"content-type"'] }, { coverAlso }),
        'CREDENTIALS_MALFORMED: the signature does not cover @scheme',
      );
      assert.equal(
        await faultOf({ covered, headers }, { coverAlso }),
        'CREDENTIALS_MALFORMED: the signature does not cover content-type',
      );
      assert.equal(await codeOf({ covered: [...covered, '"content-type"'], headers }, { coverAlso }), 'ALLOWED');
    });
  });

  describe('takes as covered', () => {
    const headers = [
      ['X-Plain', 'a,  b'],
      ['X-Twice', 'one'],
      ['X-Twice', 'two'],
      ['X-Dictionary', 'a=1,b=( "x" "y" ),  c'],
    ] as const;
    for (const [identifier, value] of [
      ['"x-plain"', 'a,  b'],
      ['"x-plain";sf', 'a, b'],
      ['"x-twice"', 'one, two'],
      ['"x-twice";bs', ':b25l:, :dHdv:'],
      ['"x-dictionary";sf', 'a=1, b=("x" "y"), c'],
      ['"x-dictionary";key="b"', '("x" "y")'],
      ['"x-dictionary";sf;key="c"', '?1'],
      ['"host"', 'api.example.com'],
      ['"@scheme"', 'https'],
      ['"@query-param";name="b%20c"', '%21%3D%20'],
    ] as const) {
      it(`${identifier} as ${value}`, async () => {
        const parts: Parts = {
          headers,
          target: '/signed?a=1&a=2&b+c=!%3d+&d',
          covered: [...USUAL_COVERED, identifier],
          values: { [identifier]: value },
        };
        assert.equal(await codeOf(parts), 'ALLOWED');
      });
    }
  });

  describe('refuses as covered', () => {
    const headers = [
      ['X-A', 'a=1, a=2'],
      ['X-Long', 'Tue, 20 Apr 2021'],
    ] as const;
    for (const [identifier, detail] of [
      ['"@method"', 'the signature covers @method twice'],
      ['"x-a" "x-a"', 'the signature covers x-a twice'],
      ['"X-A"', 'the signature covers a field whose name is no lower-case token'],
      ['"@status"', 'the signature covers a derived component that requests do not have'],
      ['"@signature-params"', 'the signature covers a derived component that requests do not have'],
      ['"@path";req', 'the signature covers @path with a parameter'],
      ['"x-a";req', 'the signature covers x-a with parameters that requests do not have'],
      ['"x-a";tr', 'the signature covers x-a with parameters that requests do not have'],
      ['"x-a";sf;bs', 'the signature covers x-a with parameters that requests do not have'],
      ['"x-a";sf=?0', 'the signature covers x-a with parameters that requests do not have'],
      ['"x-a";key=a', 'the signature covers x-a with parameters that requests do not have'],
      ['"authorization"', 'the field authorization cannot be signed'],
      ['"x-request-id"', 'the field x-request-id cannot be signed'],
      ['"x-consumer-id"', 'the field x-consumer-id cannot be signed'],
      ['"signature"', 'the field signature cannot be signed'],
      ['"signature-input";bs', 'the field signature-input cannot be signed'],
      ['"x-absent"', 'the signature covers x-absent, which is not in the request'],
      ['"x-absent";bs', 'the signature covers x-absent, which is not in the request'],
      ['"x-a";sf', 'the signature covers x-a, which cannot be read as a structured field for certain'],
      ['"x-a";key="a"', 'the signature covers x-a, which cannot be read as a structured field for certain'],
      ['"x-long";sf', 'the signature covers x-long, which cannot be read as a structured field for certain'],
      ['"x-long";key="a"', 'the signature covers x-long, which cannot be read as a structured field for certain'],
      ['"@query-param"', 'the signature covers @query-param without the name of a parameter, or with more than that'],
      ['"@query-param";name="a"', 'the signature covers @query-param, whose name is not in the query exactly once'],
      ['"@query-param";name="z"', 'the signature covers @query-param, whose name is not in the query exactly once'],
      ['x-a', 'Signature-Input lists a component that is no string'],
    ] as const) {
      it(identifier, async () => {
        const parts = { headers, target: '/signed?a=1&a=2', covered: [...USUAL_COVERED, identifier] };
        assert.equal(await faultOf(parts), `CREDENTIALS_MALFORMED: ${detail}`);
      });
    }
  });

  describe('with headers as a map, in which Envoy writes "!" for lost bytes and joins lines', () => {
    for (const [what, parts, outcome] of [
      ['takes what lost nothing', { more: ';nonce="a"' }, 'ALLOWED: '],
      [
        'refuses a signed header with a "!"',
        { headers: [['X-A', 'a!']], covered: [...USUAL_COVERED, '"x-a"'] },
        'MALFORMED_REQUEST: the signed header x-a has a "!", which may stand for a byte that Envoy could not show',
      ],
      [
        'refuses a "!" among the parameters, which are signed too',
        { more: ';nonce="a!"' },
        'MALFORMED_REQUEST: the signed header signature-input has a "!", which may stand for a byte that Envoy could not show',
      ],
      [
        'refuses bs of a header that may have been several lines',
        { headers: [['X-A', 'a,b']], covered: [...USUAL_COVERED, '"x-a";bs'], values: { '"x-a";bs': ':YSxi:' } },
        'CREDENTIALS_MALFORMED: the signature covers x-a, whose lines Envoy may have joined',
      ],
      [
        'takes bs of one that was one line',
        { headers: [['X-A', 'ab']], covered: [...USUAL_COVERED, '"x-a";bs'], values: { '"x-a";bs': ':YWI=:' } },
        'ALLOWED: ',
      ],
    ] as const satisfies readonly (readonly [string, Parts, string])[]) {
      it(what, async () => {
        const gateway = keyGateway(key.publicKey);
        await gateway.send({ ...signed(parts), headerForm: 'map' });
        const { code, detail } = lastDecision(gateway);
        assert.equal(`${code}: ${detail ?? ''}`, outcome);
        const raw = keyGateway(key.publicKey);
        await raw.send({ ...signed(parts), headerForm: 'raw' });
        assert.equal(lastDecision(raw).code, 'ALLOWED');
      });
    }
  });

  describe('reads @target-uri', () => {
    for (const [host, uri, code] of [
      ['API.example.com:443', 'https://API.example.com:443/signed', 'ALLOWED'],
      ['API.example.com:443', 'https://api.example.com/signed', 'ALLOWED'],
      ['API.example.com:443', 'https://api.example.com:443/signed', 'AUTHENTICATION_FAILED'],
      ['api.example.com:8443', 'https://api.example.com:8443/signed', 'ALLOWED'],
      ['api.example.com', 'http://api.example.com/signed', 'AUTHENTICATION_FAILED'],
    ] as const) {
      it(`${uri} sent to ${host}: ${code}`, async () => {
        const covered = ['"x-a"', '"@method"', '"@target-uri"', '"@path"'];
        const parts = { host, covered, headers: [['X-A', 'a']], values: { '"@target-uri"': uri } } as const;
        assert.equal(await codeOf(parts), code);
      });
    }

    it('with the scheme of the endpoint', async () => {
      const covered = ['"@method"', '"@target-uri"'];
      const values = { '"@target-uri"': 'http://api.example.com/signed' };
      assert.equal(await codeOf({ host: 'api.example.com:80', covered, values }, { scheme: 'http' }), 'ALLOWED');
      assert.equal(await codeOf({ covered }, { scheme: 'http' }), 'AUTHENTICATION_FAILED');
    });
  });

  describe('reads Content-Digest', () => {
    const body = '{"amount":12}';
    const both = `${contentDigestText(body, 'sha-512')}, ${contentDigestText(body)}`;
    for (const [digest, code] of [
      [contentDigestText(body), 'ALLOWED'],
      [contentDigestText(body, 'sha-512'), 'ALLOWED'],
      [both, 'ALLOWED'],
      [`md5=:YQ==:, ${contentDigestText(body)}`, 'ALLOWED'],
      [both.replace(/=:./, '=:!'), 'CREDENTIALS_MALFORMED'],
      [contentDigestText('other'), 'DIGEST_MISMATCH'],
      [`${contentDigestText(body)}, ${contentDigestText('other', 'sha-512')}`, 'DIGEST_MISMATCH'],
      ['sha-256=:YQ==:', 'DIGEST_MISMATCH'],
      ['md5=:YQ==:', 'CREDENTIALS_MALFORMED'],
      [`${contentDigestText(body)}, ${contentDigestText(body)}`, 'CREDENTIALS_MALFORMED'],
      [contentDigestText(body).replace('sha', 'SHA'), 'CREDENTIALS_MALFORMED'],
      [contentDigestText(body).replaceAll(':', '"'), 'CREDENTIALS_MALFORMED'],
      ['', 'CREDENTIALS_MALFORMED'],
    ] as const) {
      it(`${digest.slice(0, 40)}: ${code}`, async () => {
        assert.equal(await codeOf({ method: 'POST', body, digest }), code);
      });
    }

    it('of nothing, where there is no body', async () => {
      assert.equal(await codeOf({ digest: contentDigestText('') }), 'ALLOWED');
      assert.equal(await codeOf({ digest: contentDigestText('a') }), 'DIGEST_MISMATCH');
    });

    it('of a body that is hashed in pieces, after the time', async () => {
      const large = Buffer.alloc(600_000, 'x');
      assert.equal(await codeOf({ method: 'POST', body: large }), 'ALLOWED');
      const digest = contentDigestText('other');
      assert.equal(await codeOf({ method: 'POST', body: large, digest }), 'DIGEST_MISMATCH');
      assert.equal(await codeOf({ method: 'POST', body, digest, created: NOON - 301 }), 'REQUEST_EXPIRED');
    });

    it('of a body of 10 485 760 bytes, and of no larger one', async () => {
      const largest = Buffer.alloc(10_485_760);
      assert.equal(await codeOf({ method: 'POST', body: largest }), 'ALLOWED');
      const larger = Buffer.alloc(10_485_761);
      assert.equal(await codeOf({ method: 'POST', body: larger, digest: 'none' }), 'BODY_TOO_LARGE');
    });
  });

  describe('refuses fields', () => {
    for (const [input, signature, fault] of [
      [null, 'sig1=:YQ==:', 'CREDENTIALS_MISSING: the request has no Signature-Input'],
      ['sig1=()', null, 'CREDENTIALS_MISSING: the request has no Signature'],
      ['', '', 'CREDENTIALS_MISSING: Signature-Input is empty'],
      [
        'sig1=(',
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has something that is no value of a structured field',
      ],
      [
        'sig1=()',
        'sig1=:YR==:',
        'CREDENTIALS_MALFORMED: Signature has bytes that are not canonical base64 between colons',
      ],
      ['sig1=(),sig1=()', 'sig1=:YQ==:', 'CREDENTIALS_MALFORMED: Signature-Input has a key twice'],
      ['sig1=();a;a', 'sig1=:YQ==:', 'CREDENTIALS_MALFORMED: Signature-Input has a parameter twice'],
      [
        'sig1=()',
        'sig1="YQ=="',
        `CREDENTIALS_MALFORMED: Signature does not have the bytes of a signature for each label of Signature-Input`,
      ],
      [
        'sig1=()',
        'sig2=:YQ==:',
        `CREDENTIALS_MALFORMED: Signature does not have the bytes of a signature for each label of Signature-Input`,
      ],
      [
        'sig1=()',
        'sig1=:YQ==:, sig2=:YQ==:',
        `CREDENTIALS_MALFORMED: Signature does not have the bytes of a signature for each label of Signature-Input`,
      ],
      [
        'sig1="@method"',
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has a member that is no list of components',
      ],
      [
        'sig1=();created=1.0',
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has a created or expires that is no integer',
      ],
      [
        'sig1=();created="1"',
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has a created or expires that is no integer',
      ],
      [
        'sig1=();keyid=a',
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has a nonce, alg, keyid or tag that is no string',
      ],
      [
        'sig1=();nonce=:YQ==:',
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has a nonce, alg, keyid or tag that is no string',
      ],
      [
        'sig1=();tag',
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has a nonce, alg, keyid or tag that is no string',
      ],
      ['sig1=();created=1', 'sig1=:YQ==:', 'CREDENTIALS_MISSING: the signature sends no keyid'],
      ['sig1=();keyid="a"', 'sig1=:YQ==:', 'CREDENTIALS_MALFORMED: the signature has no created'],
      [
        'sig1=();keyid=""',
        'sig1=:YQ==:',
        'AUTHENTICATION_FAILED: no signature has a keyid that can be an App Key, and the tag of this endpoint',
      ],
      [
        Array.from({ length: 9 }, (_, index) => `s${String(index)}=()`).join(),
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has more than 8 members',
      ],
      [
        `sig1=(${Array.from({ length: 65 }, (_, index) => `"x-${String(index)}"`).join(' ')})`,
        'sig1=:YQ==:',
        'CREDENTIALS_MALFORMED: Signature-Input has a list of more than 64 items',
      ],
    ] as const) {
      it(`${String(input).slice(0, 30)} with ${String(signature)}`, async () => {
        const gateway = keyGateway(key.publicKey);
        const headers = [
          ...(input === null ? [] : [['signature-input', input] as const]),
          ...(signature === null ? [] : [['signature', signature] as const]),
        ];
        await gateway.send(asCheck({ target: '/signed', host: 'api.example.com', headers }));
        const { code, detail } = lastDecision(gateway);
        assert.equal(`${code}: ${detail ?? ''}`, fault);
      });
    }
  });

  it('keeps unknown parameters, their order and all blanks of the list that was signed', async () => {
    const parameters = `; zone="a\\\\b"; keyid="${ACME_KEY_ID}";created=${String(NOON)};x=1.50`;
    const list = `(  ${USUAL_COVERED.join('   ')} )`;
    assert.equal(await codeOf({ parameters, list }), 'ALLOWED');
    assert.equal(await codeOf({ parameters }), 'ALLOWED');
  });

  describe('with replayProtection', () => {
    it('takes a nonce once, whatever the signature', async () => {
      const gateway = keyGateway(key.publicKey, { options: { replayProtection: true } });
      for (const [parts, code] of [
        [{}, 'CREDENTIALS_MALFORMED'],
        [{ more: ';nonce="a"' }, 'ALLOWED'],
        [{ more: ';nonce="a"' }, 'REQUEST_REPLAYED'],
        [{ more: ';nonce="a"', target: '/signed/other' }, 'REQUEST_REPLAYED'],
        [{ more: ';nonce="b"' }, 'ALLOWED'],
        [{ more: ';nonce="c"', key: foreign }, 'AUTHENTICATION_FAILED'],
        [{ more: ';nonce="c"' }, 'ALLOWED'],
      ] as const) {
        await gateway.send(signed(parts));
        assert.equal(lastDecision(gateway).code, code, JSON.stringify(Object.keys(parts)));
      }
    });

    it('remembers it for clockSkewSeconds and 120 s', async () => {
      const clock = fixedClock(NOON);
      const gateway = keyGateway(key.publicKey, { clock, options: { replayProtection: true, clockSkewSeconds: 10 } });
      const send = async () => {
        await gateway.send(signed({ more: ';nonce="a"', created: clock.nowSeconds() }));
        return lastDecision(gateway).code;
      };
      assert.equal(await send(), 'ALLOWED');
      clock.advance(129);
      assert.equal(await send(), 'REQUEST_REPLAYED');
      clock.advance(61);
      assert.equal(await send(), 'ALLOWED');
    });
  });

  describe('asks with Accept-Signature', () => {
    const asked = async (parts: Parts, options: Partial<HttpSignatureOptions> = {}) => {
      const { answer } = await outcomeOf({ key: foreign, ...parts }, options);
      return answer.kind === 'refused' ? headerOf(answer.headers, 'accept-signature') : 'allowed';
    };

    it('for what the endpoint wants of such a request', async () => {
      assert.equal(await asked({}), 'sig1=("@method" "@authority" "@path" "@query");created');
      assert.equal(
        await asked(
          { body: 'a', headers: [['Content-Type', 'text/plain']], more: ';nonce="a";tag="orders"' },
          { coverAlso: ['content-type', 'x-absent', '@scheme'], tag: 'orders' },
        ),
        'sig1=("@method" "@authority" "@path" "@query" "content-digest" "content-type" "x-absent" "@scheme");created;tag="orders"',
      );
      assert.match(
        (await asked({ more: ';nonce="a"' }, { replayProtection: true })) ?? '',
        /^sig1=\("@method" "@authority" "@path" "@query"\);created;nonce="[A-Za-z0-9-]+"$/,
      );
    });

    it('with a 401 only', async () => {
      const { answer } = await outcomeOf({}, {}, { isClosed: true });
      assert.ok(answer.kind === 'refused' && answer.status === 403);
      assert.equal(headerOf(answer.headers, 'accept-signature'), undefined);
    });
  });

  it('lets a request through in observe mode, without signatures that may be its caller’s', async () => {
    const mode = 'observe';
    const { answer, code } = await outcomeOf({ key: foreign }, { mode });
    assert.equal(code, 'AUTHENTICATION_FAILED');
    assert.ok(answer.kind === 'allowed');
    assert.deepEqual([answer.upstream, answer.removed], [[], ['signature-input', 'signature']]);
    const others = { input: 'proxy=();created=1;tag="proxy"', signature: 'proxy=:YQ==:' };
    const kept = await outcomeOf({ key: foreign, others }, { mode });
    assert.ok(kept.answer.kind === 'allowed');
    assert.equal(headerOf(kept.answer.upstream, 'signature-input'), others.input);
    const shown = await outcomeOf({}, { hideCredentials: false });
    assert.ok(shown.answer.kind === 'allowed');
    assert.deepEqual(shown.answer.removed, []);
  });
});
