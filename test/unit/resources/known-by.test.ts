import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { certificateAppKey, claimsAppKey } from '../../../src/model/derived-app-key.ts';
import { formatProblem } from '../../../src/model/document/problem.ts';
import type { Material } from '../../../src/model/material.ts';
import { declareCredential, type DocumentCredential } from '../../../src/resources/credential.ts';
import { storeMaterial } from '../../../src/resources/credential-material.ts';
import { parseDocument } from '../../../src/resources/parse-document.ts';
import type { Sealed } from '../../../src/model/keyring/sealed.ts';
import {
  writeCredentialDocument,
  readManagedCredentialDocument,
} from '../../../src/stores/mongodb/mapping/map-credential.ts';
import { writeVersion } from '../../../src/stores/mongodb/mapping/records.ts';
import { sampleAuthority, sampleCertificate } from '../../support/certificates/samples.ts';

const privatePem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
const version = writeVersion({ revision: 3, createdAt: 1_790_000_000, updatedAt: 1_790_000_100 });
const { sha256, fingerprint, publicKeySha256, notAfter, uri, dns } = sampleCertificate;
const files: Readonly<Record<string, string>> = { 'acme.pem': sampleCertificate.pem, 'ca.pem': sampleAuthority.pem };
const authority = { pem: sampleAuthority.pem, sha256: sampleAuthority.sha256, notAfter: sampleAuthority.notAfter };

/** JSON is YAML: one credential, or several. */
function parse(...credentials: readonly object[]): ReturnType<typeof parseDocument> {
  const document = {
    version: 1,
    issuers: ['partner-idp', 'another'].map((id) => ({
      ...{ id, issuer: id, jwksUri: `https://${id}.example/keys`, audiences: ['orders'] },
    })),
    consumers: [{ id: 'acme', credentials: credentials.map((each, index) => ({ id: `c${String(index)}`, ...each })) }],
  };
  return parseDocument([{ file: 'f', text: JSON.stringify(document, null, 1) }], {
    isComplete: true,
    readSecret: () => ({ fault: 'names nothing' }),
    readKeyFile: (file) => {
      const text = files[file];
      return text === undefined ? { fault: 'names no file' } : { text };
    },
  });
}

function read(credential: object): DocumentCredential {
  const parsed = parse(credential);
  if ('problems' in parsed) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  const [first] = parsed.content.credentials;
  assert.ok(first !== undefined);
  return first;
}

function problemsOf(...credentials: readonly object[]): readonly string[] {
  const parsed = parse(...credentials);
  return 'problems' in parsed ? parsed.problems.map(({ message }) => message) : [];
}

const jwt = { method: 'jwt', issuer: 'partner-idp', claims: { tid: '7', azp: 'acme-batch' } };
const byCertificate = (certificate: object): object => ({ method: 'certificate', certificate });

describe('a credential that is known by claims of tokens', () => {
  it('names issuer and claims, by which it is found, sorted by name', () => {
    const { material, appKey, appKeyHash } = read(jwt);
    assert.deepEqual(material, {
      kind: 'token-claims',
      issuerId: 'partner-idp',
      claims: { azp: 'acme-batch', tid: '7' },
    });
    assert.deepEqual(Object.keys('claims' in material ? material.claims : {}), ['azp', 'tid']);
    const derived = claimsAppKey('partner-idp', { azp: 'acme-batch', tid: '7' });
    assert.deepEqual([appKey, appKeyHash], [null, hashAppKey(derived)]);
    assert.match(derived, /^jwt\.[\w-]{43}$/);
  });

  it('is refused where it lacks them, or they are no claims', () => {
    assert.deepEqual(problemsOf({ method: 'jwt' }), [
      '"issuer" is missing; a credential of method jwt names the issuer of its tokens',
      '"claims" is missing; a credential of method jwt names the claims that are its consumer, such as { azp: acme-batch }',
    ]);
    assert.deepEqual(problemsOf({ ...jwt, claims: {} }), ['"claims" must have 1 to 4 claims']);
    const five = { a: '1', b: '2', c: '3', d: '4', e: '5' };
    assert.deepEqual(problemsOf({ ...jwt, claims: five }), ['"claims" must have 1 to 4 claims']);
    assert.deepEqual(problemsOf({ ...jwt, claims: { azp: ['acme'] } }), [
      'a value in "claims" must be a text; it is a list',
    ]);
    assert.deepEqual(problemsOf({ ...jwt, claims: { azp: 'a\u0000' } }).length > 0, true);
    assert.deepEqual(problemsOf({ ...jwt, claims: { 'a b': 'x' } }), [
      'a value in "claims" is under a name that is none of a claim: 1 to 128 printable ASCII characters',
    ]);
  });

  it('has no App Key, and no other method', () => {
    assert.deepEqual(problemsOf({ ...jwt, appKey: 'k' }), [
      '"appKey" is not for a credential of method jwt or certificate, which has no App Key: it is found by its claims or its certificate; remove it',
    ]);
    assert.deepEqual(problemsOf({ ...jwt, appSecret: 'a secret of 16 characters' }), [
      '"appSecret" is not for a credential of method jwt, which is known by the claims of its tokens; remove it',
    ]);
    assert.deepEqual(problemsOf({ ...jwt, method: undefined, methods: ['jwt', 'hmac'] }), [
      'method hmac cannot be used with claims of tokens, which is for jwt: make a credential for each',
    ]);
  });

  it('shares its claims with no other', () => {
    const [problem, ...others] = problemsOf(jwt, { ...jwt, claims: { azp: 'acme-batch', tid: '7' } });
    assert.match(
      problem ?? '',
      /^the credential on line \d+ is known by the claims azp=acme-batch, tid=7 of the issuer partner-idp already; no two credentials are known by the same$/,
    );
    assert.deepEqual(others, []);
    assert.deepEqual(problemsOf(jwt, { ...jwt, issuer: 'another' }, { ...jwt, claims: { azp: 'acme-batch' } }), []);
  });
});

describe('a credential that is known by a certificate', () => {
  it('takes all of it, with its end, or its public key, from PEM or a file', () => {
    const whole = { kind: 'certificate', identity: { by: 'certificate', sha256, notAfter } };
    const key = { kind: 'certificate', identity: { by: 'public-key', sha256: publicKeySha256 } };
    assert.deepEqual(read(byCertificate({ pem: sampleCertificate.pem })).material, whole);
    assert.deepEqual(read(byCertificate({ file: 'acme.pem' })).material, whole);
    assert.deepEqual(read(byCertificate({ file: 'acme.pem', match: 'public-key' })).material, key);
    assert.deepEqual(read(byCertificate({ publicKeySha256 })).material, key);
    const { appKeyHash } = read(byCertificate({ pem: sampleCertificate.pem }));
    assert.equal(appKeyHash, hashAppKey(certificateAppKey('certificate', sha256)));
  });

  it('takes a SHA-256 as openssl prints it', () => {
    const identity = { by: 'certificate', sha256, notAfter: null };
    for (const text of [sha256, fingerprint, fingerprint.toLowerCase(), sha256.toUpperCase()]) {
      assert.deepEqual(read(byCertificate({ sha256: text })).material, { kind: 'certificate', identity });
    }
    for (const text of [sha256.slice(1), `${sha256}0`, fingerprint.replace(':', ''), `sha256:${sha256}`]) {
      assert.deepEqual(problemsOf(byCertificate({ sha256: text })), [
        '"sha256" must be a SHA-256: 64 hexadecimal digits, with or without colons between each two',
      ]);
    }
  });

  it('takes a URI or DNS name in normal form, with its authorities', () => {
    assert.deepEqual(
      read(byCertificate({ uri: 'SPIFFE://Acme.Example/batch', authority: { file: 'ca.pem' } })).material,
      {
        kind: 'certificate',
        identity: { by: 'uri', name: uri, authorities: [authority] },
      },
    );
    assert.deepEqual(
      read(byCertificate({ dns: 'Batch.ACME.example', authorities: [{ pem: sampleAuthority.pem }] })).material,
      { kind: 'certificate', identity: { by: 'dns', name: dns, authorities: [authority] } },
    );
  });

  it('refuses what identifies nobody, or more than one', () => {
    const named = { authority: { file: 'ca.pem' } };
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{}, /^"certificate" must be \{ pem: TEXT \}.* one of these$/],
      [{ sha256, publicKeySha256 }, /one of these$/],
      [{ sha256, match: 'public-key' }, /^"match" is only for pem and file$/],
      [{ publicKeySha256, notAfter: '2030-01-01T00:00:00Z' }, /^"notAfter" is only for sha256$/],
      [{ sha256, ...named }, /^"authority" is only for uri and dns$/],
      [{ uri }, /^"authority" is missing; a name needs the certificate of who issues/],
      [{ uri, authority: { file: 'acme.pem' } }, /this is the certificate of no authority/],
      [{ uri, authorities: [] }, /^"authorities" must be 1 to 4$/],
      [{ uri, authorities: [{ file: 'ca.pem' }, { file: 'ca.pem' }] }, /^an authority appears twice in this list$/],
      [{ uri: 'spiffe://user@acme.example/batch', ...named }, /^"uri" must be an absolute URI/],
      [{ uri: '/batch', ...named }, /^"uri" must be an absolute URI/],
      [{ dns: '*.acme.example', ...named }, /^"dns" must be one DNS name/],
      [{ dns: 'acme.example.', ...named }, /^"dns" must be one DNS name/],
      [{ pem: privatePem }, /^"pem": this is a private key/],
      [{ pem: sampleCertificate.pem + sampleAuthority.pem }, /holds more than one PEM block/],
      [{ pem: 'MIIB' }, /^"pem": this is no PEM block alone/],
      [{ file: 'other.pem' }, /^"certificate" names no file$/],
    ];
    for (const [certificate, message] of wrong) {
      const problems = problemsOf(byCertificate(certificate));
      assert.equal(problems.length, 1, JSON.stringify([certificate, problems]));
      assert.match(problems[0] ?? '', message);
    }
    assert.match(problemsOf({ method: 'certificate' }).join(), /^"certificate" is missing; write \{ pem: TEXT \}/);
  });
});

describe('what a credential without an App Key is known by', () => {
  const all: readonly object[] = [
    jwt,
    byCertificate({ file: 'acme.pem' }),
    byCertificate({ sha256 }),
    byCertificate({ publicKeySha256 }),
    byCertificate({ uri, authority: { file: 'ca.pem' } }),
    byCertificate({ dns, authority: { file: 'ca.pem' } }),
  ];

  it('is read again as it was declared and as it was stored', () => {
    for (const each of all) {
      const credential = read(each);
      const managed = {
        ...credential,
        id: 'c0',
        appKey: null,
        appKeyHash: credential.appKeyHash ?? '',
        material: credential.material as Material,
      };
      const declared = declareCredential(managed, 'leave-out');
      assert.deepEqual(read(declared).material, credential.material);
      assert.ok(!('appKey' in declared) && !('appKeyHash' in declared));
      const document = writeCredentialDocument(managed, version, null);
      assert.ok(!('appKey' in document) && !('sealedAppKey' in document));
      const again = readManagedCredentialDocument({ ...document }, { sealer: null, keepsUnopened: false });
      assert.ok('value' in again, JSON.stringify(again));
      assert.deepEqual(again.value, managed);
    }
  });

  it('must be what a stored credential is found by', () => {
    for (const each of all) {
      const { material, ...credential } = read(each);
      const managed = {
        ...credential,
        id: 'c0',
        appKey: null,
        appKeyHash: hashAppKey('x'),
        material: material as Material,
      };
      const document = writeCredentialDocument(managed, version, null);
      const again = readManagedCredentialDocument({ ...document }, { sealer: null, keepsUnopened: false });
      assert.ok('fault' in again && again.fault.problem.includes('does not follow from what the credential names'));
    }
  });

  it('is stored as an index can have it: sorted names of claims, the first end of authorities', () => {
    const { certificate } = storeMaterial(read(all[4] ?? {}).material as Material<Sealed>);
    const { claims, claimNames } = storeMaterial(read(jwt).material as Material<Sealed>);
    assert.deepEqual([claimNames, claims?.length], ['["azp","tid"]', 2]);
    assert.deepEqual(Object.keys(certificate ?? {}), ['by', 'name', 'notAfter', 'authorities']);
    assert.deepEqual(certificate?.notAfter, new Date(authority.notAfter * 1000));
  });
});
