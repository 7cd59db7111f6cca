import assert from 'node:assert/strict';
import { findWarnings } from '../../../src/resources/find-warnings.ts';
import { parsePlacedDocument } from '../../../src/resources/parse-document.ts';
import { DEMO_SECRET, secretsOf } from './support.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z') / 1000;

/** Every warning of some files, as `file:line:column: path: message`. */
function warningsOf(...texts: readonly string[]): readonly string[] {
  const sources = texts.map((text, index) => ({ file: `${String(index + 1)}.yaml`, text }));
  const parsed = parsePlacedDocument(sources, {
    isComplete: true,
    references: 'document',
    readSecret: secretsOf({}),
  });
  assert.ok('document' in parsed, JSON.stringify(parsed));
  return findWarnings(parsed.document, sources, NOW).map(
    ({ file, line, column, path, message }) => `${file}:${String(line)}:${String(column)}: ${path}: ${message}`,
  );
}

const endpoint = (rest: string): string => `version: 1
endpoints:
  - { id: orders, authentication: key, scenario: partner-openapi, ${rest} }
`;

const consumers = (credential: string): string => `version: 1
consumers:
  - id: acme
    credentials:
      - { id: acme-1, method: hmac, appKey: a, appSecret: ${DEMO_SECRET}, ${credential} }
`;

describe('warnings of a faultless document', () => {
  const pattern = 'this path has a pattern, and a path is no pattern here: its characters count as themselves;';

  it('are none where nothing is strange', () => {
    assert.deepEqual(
      warningsOf(
        `${endpoint('accessCondition: authenticated-and-authorized, match: { paths: [{ prefix: /a }], methods: [GET, PURGE, M-SEARCH] }')}grants:\n  - { endpoint: orders, consumer: acme, expiresAt: 2027-01-01T00:00:00Z }\n`,
        consumers('expiresAt: 2027-01-01T00:00:00Z'),
      ),
      [],
    );
  });

  it('are about wildcards and other patterns in paths', () => {
    assert.deepEqual(
      warningsOf(
        endpoint('match: { paths: [{ prefix: /a/* }, { exact: "/b/{id}" }, { prefix: "/c/.+" }, { prefix: /d.e }] }'),
      ),
      [
        `1.yaml:3:94: endpoints[0].match.paths[0].prefix: ${pattern} end the prefix before it: a prefix takes all paths below`,
        `1.yaml:3:111: endpoints[0].match.paths[1].exact: ${pattern} write a prefix that ends before it`,
        `1.yaml:3:134: endpoints[0].match.paths[2].prefix: ${pattern} end the prefix before it: a prefix takes all paths below`,
      ],
    );
  });

  it('are about methods in lower case', () => {
    assert.deepEqual(warningsOf(endpoint('match: { paths: [{ prefix: /a }], methods: [GET, post] }')), [
      '1.yaml:3:116: endpoints[0].match.methods[1]: this method has lower-case letters, and methods compare exactly: clients send GET, not get',
    ]);
  });

  it('are about grants that decide nothing', () => {
    const rest = 'match: { paths: [{ prefix: /a }] }';
    const open = 'version: 1\nendpoints: [{ id: orders, scenario: open, match: { paths: [{ prefix: / }] } }]\n';
    const grant = 'version: 1\ngrants: [{ endpoint: orders, consumer: acme }]\nconsumers: [{ id: acme }]\n';
    const limited = grant.replace('acme }]', 'acme, limits: [] }]');
    assert.deepEqual(warningsOf(endpoint(rest), grant), [
      '2.yaml:2:22: grants[0].endpoint: this grant decides nothing: its endpoint lets every authenticated consumer in; for those with a grant alone, set "accessCondition: authenticated-and-authorized" there',
    ]);
    assert.deepEqual(warningsOf(open, grant), [
      '2.yaml:2:22: grants[0].endpoint: this grant has no effect: its endpoint is open, and its callers are not authenticated',
    ]);
    assert.deepEqual(warningsOf(endpoint(rest), limited), []);
  });

  it('are about what has ended', () => {
    const closed = endpoint('accessCondition: authenticated-and-authorized, match: { paths: [{ prefix: /a }] }');
    const grant = 'grants: [{ endpoint: orders, consumer: acme, expiresAt: 2026-06-01T00:00:00Z }]\n';
    assert.deepEqual(warningsOf(closed, consumers('expiresAt: 2026-06-01T00:00:00Z') + grant), [
      '2.yaml:5:102: consumers[0].credentials[0].expiresAt: this credential has ended: no caller gets in with it; remove it',
      '2.yaml:6:57: grants[0].expiresAt: this grant has ended: it lets no caller in; remove it, or set a later end',
    ]);
    const retiring = `retiringSecret: { appSecret: ${DEMO_SECRET}, expiresAt: 2026-05-31T23:59:59Z }`;
    assert.deepEqual(warningsOf(consumers(retiring)), [
      '1.yaml:5:163: consumers[0].credentials[0].retiringSecret.expiresAt: the grace period of this secret has ended: it works no longer; remove "retiringSecret"',
    ]);
  });

  it('are about a former public key that has ended', () => {
    const jwk = '{ kty: OKP, crv: Ed25519, x: 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo }';
    const key = `publicKey: { jwk: ${jwk} }`;
    const credential = `{ method: oauth2, appKey: a, ${key}, retiringPublicKey: { ${key}, expiresAt: 2026-05-31T23:59:59Z } }`;
    const [warning, ...more] = warningsOf(`version: 1\nconsumers: [{ id: acme, credentials: [${credential}] }]\n`);
    assert.match(
      warning ?? '',
      /retiringPublicKey\.expiresAt: the grace period of this key has ended: it works no longer; remove "retiringPublicKey"$/,
    );
    assert.deepEqual(more, []);
  });

  it('are about a document that declares nothing', () => {
    const nothing = 'the document declares nothing: every request would be refused';
    assert.deepEqual(warningsOf('version: 1\n'), [`1.yaml:1:1: : ${nothing}`]);
    assert.deepEqual(warningsOf('{"version":1,"endpoints":[]}'), [`1.yaml:1:1: : ${nothing}`]);
  });

  it('are about invalid JSON', () => {
    const comma = 'a comma precedes a closing bracket: this is not JSON, and was read as YAML; remove the comma';
    assert.deepEqual(warningsOf('{\n  "version": 1,\n  "consumers": [{ "id": "a", "name": ",]" },]\n}'), [
      `1.yaml:3:44: : ${comma}`,
    ]);
    assert.deepEqual(warningsOf('{"version": 1, "consumers": [{"id": "a"}],\n}'), [`1.yaml:1:42: : ${comma}`]);
    assert.deepEqual(warningsOf('{"version": 1, consumers: [{"id": "a"}]}'), [
      '1.yaml:1:1: : this begins as JSON and is not JSON: it was read as YAML',
    ]);
    assert.deepEqual(warningsOf('{ version: 1, consumers: [{ id: a }, ] }'), []);
  });
});
