import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Credential } from '../../../../../src/model/credential.ts';
import type { Catalog } from '../../../../../src/check/store/check-store.ts';
import { StoreUnavailable } from '../../../../../src/check/store/credential-source.ts';
import {
  byCertificate,
  byName,
  byPublicKey,
  certificateCredential,
  derOf,
  pemOf,
} from '../../../../support/certificate/certificate-credential.ts';
import {
  type CertificateOptions,
  type Certified,
  makeCertificate,
  onlyFor,
} from '../../../../support/grpc/certificate.ts';
import type { RequestParts } from '../../../../support/pipeline/check-request.ts';
import { type GatewayParts, testGateway } from '../../../../support/pipeline/gateway.ts';
import { catalogOf, consumer, partnerEndpoint } from '../../../../support/pipeline/resources.ts';
import { fixedClock, NOON } from '../../../../support/time/fixed-clock.ts';

const URI = 'spiffe://partner.example/batch';
const DNS = 'api.partner.example';
const FAILED = 'AUTHENTICATION_FAILED';

const authority = makeCertificate('partner authority');
const leaf = issued();
const stranger = makeCertificate('stranger');

function issued(options: CertificateOptions = {}, issuer: Certified = authority): Certified {
  return makeCertificate('leaf', issuer, { names: [URI, DNS], ...options });
}

function gateway(credentials: readonly Credential[], parts: GatewayParts = {}) {
  return testGateway({
    endpoints: [partnerEndpoint('certificate')],
    consumers: [consumer(), consumer({ id: 'globex', name: 'Globex' })],
    credentials,
    ...parts,
  });
}

/** `ALLOWED`, or the code. */
async function codeOf(
  credentials: readonly Credential[],
  certified: Certified | null = leaf,
  parts: GatewayParts = {},
  request: RequestParts = {},
): Promise<string> {
  const sent = certified === null ? request : { certificate: certified.cert, ...request };
  return String((await gateway(credentials, parts).send(sent)).metadata['code']);
}

const at = (date: string): GatewayParts => ({ clock: fixedClock(Date.parse(date) / 1000) });

describe('authentication by a client certificate', () => {
  it('takes what a credential names: the certificate, its key, or a name in it with its authority', async () => {
    for (const identity of [
      byCertificate(leaf),
      byPublicKey(leaf),
      byName('uri', URI, authority),
      byName('dns', DNS, stranger, authority),
    ]) {
      assert.equal(await codeOf([certificateCredential(identity)]), 'ALLOWED', identity.by);
      assert.equal(await codeOf([certificateCredential(identity)], stranger), FAILED, identity.by);
    }
  });

  it('says who calls, and changes nothing of the request', async () => {
    const answer = await gateway([certificateCredential(byCertificate(leaf))]).send({ certificate: leaf.cert });
    assert.ok(answer.kind === 'allowed');
    assert.equal(answer.metadata['consumer'], 'acme');
    assert.deepEqual(answer.removed, []);
  });

  it('refuses a connection without a certificate, whatever headers say', async () => {
    const headers = [
      ['x-forwarded-client-cert', `Cert="${encodeURIComponent(leaf.cert)}";Hash=${'0'.repeat(64)}`],
      ['client-cert', `:${derOf(leaf).toString('base64')}:`],
      ['ssl-client-cert', encodeURIComponent(leaf.cert)],
    ] as const;
    const credentials = [certificateCredential(byCertificate(leaf))];
    assert.equal(await codeOf(credentials, null, {}, { headers }), 'CREDENTIALS_MISSING');
    assert.equal(await codeOf(credentials, null, {}, { certificate: '', headers }), 'CREDENTIALS_MISSING');
    assert.equal(await codeOf(credentials, stranger, {}, { headers }), FAILED);
  });

  it('asks for a client certificate in its challenge', async () => {
    for (const certificate of ['', stranger.cert]) {
      const answer = await gateway([]).send({ certificate });
      assert.ok(answer.kind === 'refused');
      assert.equal(
        answer.headers.find(([name]) => name === 'www-authenticate')?.[1],
        'ClientCertificate realm="postern"',
      );
    }
  });

  it('compares times with the clock at each request', async () => {
    const times = { notBefore: new Date('2026-10-01T11:00:00Z'), notAfter: new Date('2026-10-01T13:00:00Z') };
    const short = issued(times);
    for (const identity of [byCertificate(short), byPublicKey(short), byName('uri', URI, authority)]) {
      const credentials = [certificateCredential(identity)];
      const clock = fixedClock(NOON - 3601);
      const pipeline = gateway(credentials, { clock });
      const code = async (): Promise<unknown> => (await pipeline.send({ certificate: short.cert })).metadata['code'];
      assert.equal(await code(), FAILED);
      clock.advance(1);
      assert.equal(await code(), 'ALLOWED');
      clock.advance(7200);
      assert.equal(await code(), 'ALLOWED');
      clock.advance(1);
      assert.equal(await code(), FAILED);
    }
  });

  it('takes no name of an authority that is not valid now', async () => {
    const old = makeCertificate('old authority', undefined, { notAfter: new Date('2026-10-01T12:00:00Z') });
    const credentials = [certificateCredential(byName('uri', URI, old))];
    assert.equal(await codeOf(credentials, issued({}, old)), 'ALLOWED');
    assert.equal(await codeOf(credentials, issued({}, old), at('2026-10-01T12:00:01Z')), FAILED);
    const young = makeCertificate('young authority', undefined, { notBefore: new Date('2026-10-01T12:00:01Z') });
    assert.equal(await codeOf([certificateCredential(byName('uri', URI, young))], issued({}, young)), FAILED);
  });

  it('takes no name that another authority wrote, nor one that nobody signed for', async () => {
    const named = [
      certificateCredential(byName('uri', URI, authority)),
      certificateCredential(byName('dns', DNS, authority)),
    ];
    // Of the same name, with another key.
    const forged = makeCertificate('partner authority');
    assert.equal(await codeOf(named, issued({}, forged)), FAILED);
    assert.equal(await codeOf(named, makeCertificate('leaf', undefined, { names: [URI], isAuthority: false })), FAILED);
    const broken = derOf(leaf);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    assert.equal(await codeOf(named, null, {}, { certificate: pemOf(broken) }), FAILED);
    // One of an authority of the authority.
    const below = makeCertificate('below', authority, { isAuthority: true });
    assert.equal(await codeOf(named, issued({}, below)), FAILED);
  });

  it('takes no name of a certificate that is no client, nor of an authority that is none', async () => {
    const named = [certificateCredential(byName('uri', URI, authority))];
    assert.equal(await codeOf(named, issued({ extensions: [onlyFor('clients')] })), 'ALLOWED');
    assert.equal(await codeOf(named, issued({ extensions: [onlyFor('servers')] })), FAILED);
    assert.equal(await codeOf(named, issued({ isAuthority: true })), FAILED);
    const none = makeCertificate('partner authority', undefined, { isAuthority: false });
    assert.equal(await codeOf([certificateCredential(byName('uri', URI, none))], issued({}, none)), FAILED);
  });

  it('compares names whole, and in normal form', async () => {
    for (const [by, name, inCertificate, code] of [
      ['uri', 'spiffe://partner.example/batch', 'SPIFFE://Partner.Example/batch', 'ALLOWED'],
      ['uri', 'spiffe://partner.example/batch', 'spiffe://partner.example/Batch', FAILED],
      ['uri', 'spiffe://partner.example/batch', 'spiffe://partner.example/batch/', FAILED],
      ['uri', 'spiffe://partner.example/batch', 'spiffe://partner.example/batch2', FAILED],
      ['dns', 'api.partner.example', 'API.partner.example', 'ALLOWED'],
      ['dns', 'api.partner.example', 'partner.example', FAILED],
      ['dns', 'api.partner.example', '*.partner.example', FAILED],
      ['dns', 'api.partner.example', 'other.example, DNS:api.partner.example', FAILED],
    ] as const) {
      const credentials = [certificateCredential(byName(by, name, authority))];
      assert.equal(await codeOf(credentials, issued({ names: [inCertificate] })), code, inCertificate);
    }
  });

  describe('judges the credential as it is now', () => {
    const identities = [byCertificate(leaf), byName('uri', URI, authority)];
    for (const [what, parts, options] of [
      ['revoked', { state: 'revoked' }, {}],
      ['ended', { expiresAt: NOON }, {}],
      ['not begun', { notBefore: NOON + 1 }, {}],
      ['of a disabled consumer', {}, { consumers: [consumer({ enabled: false })] }],
    ] as const) {
      it(`refuses one that is ${what} as it refuses a stranger`, async () => {
        for (const identity of identities) {
          const known = gateway([certificateCredential(identity, parts)], options);
          const refused = await known.send({ certificate: leaf.cert });
          const unknown = await gateway([]).send({ certificate: leaf.cert });
          assert.ok(refused.kind === 'refused' && unknown.kind === 'refused');
          assert.equal(refused.metadata['code'], FAILED);
          const shown = (answer: typeof refused): unknown => [
            answer.status,
            answer.headers.map(([name]) => name),
            answer.body.code,
            answer.body.message,
          ];
          assert.deepEqual(shown(refused), shown(unknown));
        }
      });
    }

    it('goes on with the new credential of a rotation', async () => {
      const former = certificateCredential(byCertificate(leaf), { id: 'former', state: 'retiring', expiresAt: NOON });
      assert.equal(await codeOf([former, certificateCredential(byPublicKey(leaf))]), 'ALLOWED');
    });

    it('refuses what a revoked credential names, whatever else names it', async () => {
      const revoked = certificateCredential(byCertificate(leaf), { id: 'former', state: 'revoked' });
      const named = certificateCredential(byName('uri', URI, authority));
      assert.equal(await codeOf([revoked, named]), FAILED);
      assert.equal(await codeOf([revoked, named], issued()), 'ALLOWED');
    });

    it('refuses a certificate that two consumers have, and takes two credentials of one', async () => {
      const mine = certificateCredential(byCertificate(leaf));
      const also = certificateCredential(byName('uri', URI, authority), { id: 'also' });
      assert.equal(await codeOf([mine, also]), 'ALLOWED');
      const pipeline = gateway([mine, { ...also, consumerId: 'globex' }]);
      assert.equal((await pipeline.send({ certificate: leaf.cert })).metadata['code'], FAILED);
      assert.match(JSON.stringify(pipeline.decided), /two consumers have the client certificate: acme and globex/);
      // One that names another authority has no part in it.
      const other = certificateCredential(byName('uri', URI, stranger), { id: 'also', consumerId: 'globex' });
      assert.equal(await codeOf([mine, other]), 'ALLOWED');
    });

    it('takes no credential of another method that has the same App Key', async () => {
      const other = { ...certificateCredential(byCertificate(leaf)), methods: ['key'] as const };
      assert.equal(await codeOf([other]), FAILED);
      assert.equal(await codeOf([{ ...other, methods: ['certificate'], material: { kind: 'app-key' } }]), FAILED);
    });
  });

  it('serves who is known while others cannot be looked up, and guesses about nobody', async () => {
    const known = catalogOf({
      endpoints: [partnerEndpoint('certificate')],
      credentials: [certificateCredential(byName('uri', URI, authority))],
    });
    for (const answer of [
      () => Promise.reject(new StoreUnavailable('down')),
      () => {
        throw new StoreUnavailable('down');
      },
    ]) {
      const catalog: Catalog = {
        ...known,
        credentials: {
          findByAppKey: (appKey) => known.credentials.findByAppKey(appKey) ?? answer(),
          canKnow: () => false,
        },
      };
      assert.equal(await codeOf([], leaf, { catalog: () => catalog }), 'ALLOWED');
      assert.equal(await codeOf([], stranger, { catalog: () => catalog }), 'STORE_UNAVAILABLE');
    }
  });

  it('allows no changed certificate, and fails at none', async () => {
    const der = derOf(leaf);
    const pipeline = gateway([
      certificateCredential(byCertificate(leaf)),
      certificateCredential(byName('uri', URI, authority), { id: 'by-uri' }),
      certificateCredential(byName('dns', DNS, authority), { id: 'by-dns' }),
    ]);
    const change = fc.tuple(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(change, { minLength: 1, maxLength: 4, selector: ([place]) => place }),
        async (changes) => {
          const changed = Buffer.from(der);
          for (const [place, bits] of changes) changed[place] = (changed[place] ?? 0) ^ bits;
          const answer = await pipeline.send({ certificate: pemOf(changed) });
          assert.equal(answer.metadata['code'], FAILED, changed.toString('hex'));
        },
      ),
      { numRuns: 3000 },
    );
    assert.deepEqual(pipeline.defects, []);
  });
});
