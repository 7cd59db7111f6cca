import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { excerptOf } from '../../../src/model/document/source-excerpt.ts';
import { publicKeyMaterial } from '../../../src/model/material.ts';
import { PublicKey } from '../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../src/model/public-key/read-jwk.ts';
import { buildState } from '../../../src/resources/build-state.ts';
import { declareCredential } from '../../../src/resources/credential.ts';
import { declareMaterial } from '../../../src/resources/credential-material.ts';
import { documentNames, parseDocument } from '../../../src/resources/parse-document.ts';
import { formatProblem } from '../../../src/model/document/problem.ts';
import type { ReadKeyFile } from '../../../src/resources/secret-source.ts';
import type { DocumentCredential } from '../../../src/resources/credential.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { Secret } from '../../../src/model/secret.ts';
import { badKeys, PRIVATE, samplePair, spki } from '../../support/keys/bad-keys.ts';

const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const JWK = '{ kty: OKP, crv: Ed25519, x: 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo }';
const HEAD = 'version: 1\nconsumers:\n  - id: acme\n    credentials:\n';

/** A document with one credential, whose keys are these lines. */
function documentWith(...lines: readonly string[]): string {
  return `${HEAD}      - ${lines.join('\n        ')}\n`;
}

function pemLines(text: string): readonly string[] {
  return [
    'publicKey:',
    '  pem: |',
    ...text
      .trim()
      .split('\n')
      .map((line) => `    ${line}`),
  ];
}

function parse(
  text: string,
  readKeyFile: ReadKeyFile = () => ({ fault: 'names nothing' }),
): ReturnType<typeof parseDocument> {
  const readSecret = (): { readonly fault: string } => ({ fault: 'names nothing' });
  return parseDocument([{ file: 'test.yaml', text }], { isComplete: true, readSecret, readKeyFile });
}

function problemsOf(text: string, readKeyFile?: ReadKeyFile): readonly string[] {
  const parsed = parse(text, readKeyFile);
  return 'problems' in parsed ? parsed.problems.map((each) => formatProblem(each).replace('test.yaml:', '')) : [];
}

function credentialIn(text: string, readKeyFile?: ReadKeyFile): DocumentCredential {
  const parsed = parse(text, readKeyFile);
  if ('problems' in parsed) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  const [credential] = parsed.content.credentials;
  assert.ok(credential !== undefined);
  return credential;
}

function keyIn(text: string, readKeyFile?: ReadKeyFile): PublicKey {
  const { material } = credentialIn(text, readKeyFile);
  assert.ok(material.kind === 'public-key');
  return material.publicKey;
}

describe('a public key in a declarative document', () => {
  it('is a JWK, PEM, or in a file beside the document', () => {
    const pem = spki(samplePair.publicKey);
    const asked: unknown[] = [];
    const readKeyFile: ReadKeyFile = (...reference) => {
      asked.push(reference);
      return { text: pem };
    };
    assert.equal(
      keyIn(documentWith('method: oauth2', 'appKey: acme', `publicKey: { jwk: ${JWK} }`)).thumbprint,
      THUMBPRINT,
    );
    const written = keyIn(documentWith('method: oauth2', 'appKey: acme', ...pemLines(pem)));
    const inFile = keyIn(
      documentWith('method: oauth2', 'appKey: acme', 'publicKey: { file: keys/acme.pem }'),
      readKeyFile,
    );
    assert.ok(written.equals(inFile));
    assert.deepEqual(written.jwk, samplePair.publicKey.export({ format: 'jwk' }));
    assert.deepEqual(asked, [['keys/acme.pem', 'test.yaml']]);
  });

  it('has beside it the former one of a rotation', () => {
    const former = pemLines(spki(samplePair.publicKey)).map((line) => `  ${line}`);
    const text = documentWith(
      'method: oauth2',
      'appKey: acme',
      `publicKey: { jwk: ${JWK} }`,
      'retiringPublicKey:',
      ...former,
      '  expiresAt: 2027-01-01T00:00:00Z',
    );
    const { material } = credentialIn(text);
    assert.ok(material.kind === 'public-key');
    assert.equal(material.retiringPublicKey?.expiresAt, Date.parse('2027-01-01T00:00:00Z') / 1000);
    assert.deepEqual(material.retiringPublicKey.publicKey.jwk, samplePair.publicKey.export({ format: 'jwk' }));
  });

  it('goes with an App Key that any software can send as its key id', () => {
    const appKey = 'https://acme.example/keys/1#main {x}';
    const credential = credentialIn(
      documentWith('method: oauth2', `appKey: '${appKey}'`, `publicKey: { jwk: ${JWK} }`),
    );
    assert.equal(credential.appKey, appKey);
    assert.equal(credential.appKeyHash, hashAppKey(appKey));
  });

  it('gives its thumbprint as App Key where that is asked for', () => {
    const credential = credentialIn(documentWith('method: oauth2', 'appKey: thumbprint', `publicKey: { jwk: ${JWK} }`));
    assert.equal(credential.appKey, THUMBPRINT);
    assert.equal(credential.appKeyHash, hashAppKey(THUMBPRINT));
  });

  it('is written as a JWK that reads back, with secrets left out too', () => {
    const key = readJwk({ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' });
    assert.ok(key instanceof PublicKey);
    const material = publicKeyMaterial(key, { publicKey: key, expiresAt: 1_900_000_000 });
    const declared = {
      publicKey: { jwk: key.jwk },
      retiringPublicKey: { publicKey: { jwk: key.jwk }, expiresAt: '2030-03-17T17:46:40Z' },
    };
    assert.deepEqual(declareMaterial(material, 'leave-out'), declared);
    assert.deepEqual(declareMaterial(material, 'reveal'), declared);
    const text = documentWith(
      'id: acme-key',
      'method: oauth2',
      'appKey: thumbprint',
      `publicKey: ${JSON.stringify(declared.publicKey)}`,
    );
    const parsed = parse(text);
    assert.ok('content' in parsed);
    const [credential] = buildState(parsed.content).credentials;
    assert.ok(credential !== undefined);
    assert.deepEqual(declareCredential({ ...credential, appKey: Secret.fromText(THUMBPRINT) }, 'leave-out'), {
      id: 'acme-key',
      method: 'oauth2',
      appKey: THUMBPRINT,
      publicKey: { jwk: key.jwk },
    });
  });

  const faulty: Readonly<Record<string, readonly [text: string, ...problems: string[]]>> = {
    'without a form': [
      documentWith('method: oauth2', 'appKey: a', 'publicKey: {}'),
      '7:20: "publicKey" must be { pem: TEXT }, { jwk: … } or { file: PATH }, one of the three',
    ],
    'in two forms': [
      documentWith('method: oauth2', 'appKey: a', `publicKey: { file: a.pem, jwk: ${JWK} }`),
      '7:20: "publicKey" must be { pem: TEXT }, { jwk: … } or { file: PATH }, one of the three',
    ],
    'that is a text': [
      documentWith('method: oauth2', 'appKey: a', 'publicKey: a.pem'),
      '7:20: "publicKey" must be a mapping (key: value); it is a text',
    ],
    'in a file that cannot be read': [
      documentWith('method: oauth2', 'appKey: a', 'publicKey: { file: a.pem }'),
      '7:28: "publicKey" names nothing',
    ],
    'in no file': [
      documentWith('method: oauth2', 'appKey: a', 'publicKey: { file: "" }'),
      '7:28: "publicKey" names no file',
    ],
    'that holds an alias to nothing': [
      documentWith('method: oauth2', 'appKey: a', 'publicKey: { jwk: *nobody }'),
      '7:27: this alias (*name) has no anchor (&name) before it; quote a text that begins with "*"',
    ],
    'of another method': [
      documentWith('method: hmac', 'appKey: a', `publicKey: { jwk: ${JWK} }`),
      '7:9: method hmac cannot be used with a public key, which is for http-message-signature and oauth2: make a credential for each',
    ],
    'of several methods': [
      documentWith('methods: [oauth2, hmac, key]', 'appKey: a', `publicKey: { jwk: ${JWK} }`),
      '7:9: methods hmac, key cannot be used with a public key, which is for http-message-signature and oauth2: make a credential for each',
    ],
    'beside an App Secret': [
      documentWith(
        'method: oauth2',
        'appKey: a',
        'appSecret: demo-secret-not-for-production',
        `publicKey: { jwk: ${JWK} }`,
      ),
      '7:9: "appSecret" is not for a credential with a public key; remove it',
    ],
    'that is only a former one': [
      documentWith(
        'method: oauth2',
        'appKey: a',
        'appSecret: demo-secret-not-for-production',
        `retiringPublicKey: { publicKey: { jwk: ${JWK} }, expiresAt: 2027-01-01T00:00:00Z }`,
      ),
      '8:9: "retiringPublicKey" is not for a credential with an App Secret; remove it',
    ],
    'with an App Key that no header can carry': [
      documentWith('method: oauth2', `appKey: 'a"b'`, `publicKey: { jwk: ${JWK} }`),
      '6:17: "appKey" must be 1 to 512 printable ASCII characters, none of them " or \\',
    ],
    'which is not there, with an App Key as only those have': [
      documentWith('method: oauth2', 'appKey: a b', 'appSecret: demo-secret-not-for-production'),
      '6:17: "appKey" must be 1 to 512 of the characters A-Z, a-z, 0-9, ".", "_" and "-"',
    ],
  };
  for (const [what, [text, ...problems]] of Object.entries(faulty)) {
    it(`is refused ${what}`, () => {
      assert.deepEqual(problemsOf(text), problems);
    });
  }

  it('is refused for every text that is no public key, at its place, without a piece of it', () => {
    for (const { name, text, fault } of badKeys()) {
      if (text.trim() === '' || text.length > 10_000) continue;
      const document = documentWith('method: oauth2', 'appKey: a', ...pemLines(text));
      const parsed = parse(document);
      assert.ok('problems' in parsed, name);
      const [problem, ...more] = parsed.problems;
      assert.deepEqual([problem?.message, more.length], [`"pem": this ${fault}`, 0], name);
      assert.deepEqual([problem?.line, problem?.column], [8, 16], name);
      const shown = excerptOf(document.split('\n'), problem ?? { line: 1, column: 1 }, documentNames);
      assert.equal(shown?.text.trim(), 'pem: …', name);
    }
  });

  it('is refused as a private JWK, without a piece of it', () => {
    const { d, x } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const text = documentWith(
      'method: oauth2',
      'appKey: a',
      `publicKey: { jwk: { kty: OKP, crv: Ed25519, x: ${x ?? ''}, d: ${d ?? ''} } }`,
    );
    assert.deepEqual(problemsOf(text), [`7:27: "jwk": this ${PRIVATE}`]);
    const shown = excerptOf(text.split('\n'), { line: 7, column: 27 }, documentNames);
    assert.ok(!(shown?.text ?? '').includes(d ?? ''));
  });
});
