import assert from 'node:assert/strict';
import { parseDocument } from '../../../src/resources/parse-document.ts';
import { addressListField } from '../../../src/model/address-list.ts';
import { consumerDefaults } from '../../../src/model/consumer.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { contentOf, DEMO_SECRET, problemsOf, secretsOf, stateOf } from './support.ts';
import { appSecretOf, mapSecrets, sharedSecret } from '../../../src/model/material.ts';

const everything = `version: 1
endpoints:
  - id: orders
    description: Order API for partners
    labels: { team: payments }
    scenario: partner-openapi
    match:
      hosts: [API.example.com., "*.Partners.example.com", "[::1]"]
      paths: [{ prefix: /orders }, { exact: /order-status }]
      methods: [GET, POST, get]
    authentication: hmac
    accessCondition: authenticated-and-authorized
    trafficControl:
      limits:
        - { requests: 100, unit: minute, per: consumer }
        - { requests: 4294967295, unit: minute, per: endpoint }
    options: { clockSkewSeconds: 60, algorithms: [hmac-sha512, hmac-sha256], replayProtection: true }
    enabled: false
consumers:
  - id: acme
    name: Acme Ltd
    description: Logistics partner
    labels: { tier: gold }
    enabled: false
    allowFrom: [203.0.113.0/24, "2001:DB8::/32"]
    credentials:
      - id: acme-hmac
        method: hmac
        appKey: acme-demo
        appSecret: ${DEMO_SECRET}
        retiringSecret: { appSecret: former-${DEMO_SECRET}, expiresAt: 2026-12-01T00:00:00Z }
        state: retiring
        notBefore: "2026-01-01T00:00:00+02:00"
        expiresAt: 2027-01-01T00:00:00.5Z
        allowFrom: [203.0.113.0/24, "2001:db8::/32"]
grants:
  - { endpoint: orders, consumer: acme, expiresAt: 2027-01-01T00:00:00Z,
      limits: [{ requests: 1000, unit: minute, per: consumer }] }
`;

describe('reading a declarative document', () => {
  it('reads every key of every resource', () => {
    const state = stateOf(everything);
    const allowFrom = addressListField(['203.0.113.0/24', '2001:db8::/32']);
    assert.deepEqual(state.endpoints, [
      {
        id: 'orders',
        description: 'Order API for partners',
        labels: { team: 'payments' },
        scenario: 'partner-openapi',
        match: {
          hosts: ['api.example.com', '*.partners.example.com', '[::1]'],
          paths: [{ prefix: '/orders' }, { exact: '/order-status' }],
          methods: ['GET', 'POST', 'get'],
        },
        authentication: 'hmac',
        accessCondition: 'authenticated-and-authorized',
        limits: [
          { requests: 100, unit: 'minute', per: 'consumer' },
          { requests: 4294967295, unit: 'minute', per: 'endpoint' },
        ],
        options: {
          mode: 'enforce',
          onLimiterFailure: 'allow',
          hideCredentials: true,
          clockSkewSeconds: 60,
          replayProtection: true,
          signatureHints: false,
          algorithms: ['hmac-sha512', 'hmac-sha256'],
          acceptRealHttpVersion: false,
        },
        enabled: false,
      },
    ]);
    assert.deepEqual(state.consumers, [
      {
        id: 'acme',
        name: 'Acme Ltd',
        description: 'Logistics partner',
        email: null,
        team: null,
        labels: { tier: 'gold' },
        enabled: false,
        allowFrom,
      },
    ]);
    const [credential] = state.credentials;
    assert.ok(credential);
    const { material, ...rest } = credential;
    assert.deepEqual(rest, {
      id: 'acme-hmac',
      consumerId: 'acme',
      methods: ['hmac'],
      appKeyHash: hashAppKey('acme-demo'),
      state: 'retiring',
      notBefore: Date.parse('2025-12-31T22:00:00Z') / 1000,
      expiresAt: Date.parse('2027-01-01T00:00:00Z') / 1000,
      allowFrom,
    });
    assert.deepEqual(
      mapSecrets(material, (secret) => secret.reveal().toString()),
      sharedSecret(DEMO_SECRET, {
        ...{ appSecret: `former-${DEMO_SECRET}`, expiresAt: Date.parse('2026-12-01T00:00:00Z') / 1000 },
      }),
    );
    assert.deepEqual(state.grants, [
      {
        endpointId: 'orders',
        consumerId: 'acme',
        limits: [{ requests: 1000, unit: 'minute', per: 'consumer' }],
        expiresAt: Date.parse('2027-01-01T00:00:00Z') / 1000,
      },
    ]);
  });

  it('fills in the defaults of a consumer, a grant and each kind of endpoint', () => {
    const state = stateOf(`version: 1
endpoints:
  - { id: k, scenario: partner-openapi, authentication: key, match: { paths: [{ prefix: /k }] } }
  - { id: h, scenario: partner-openapi, authentication: hmac, match: { paths: [{ prefix: /h }] } }
  - { id: p, scenario: partner-openapi, authentication: parameter-signature, match: { paths: [{ prefix: /p }] } }
  - { id: o, scenario: partner-openapi, authentication: oauth2, match: { paths: [{ prefix: /o }] } }
  - { id: open, scenario: open, match: { paths: [{ prefix: / }] } }
consumers: [{ id: acme }]
grants: [{ endpoint: k, consumer: acme }]
`);
    const common = { mode: 'enforce', onLimiterFailure: 'allow' };
    const signature = { clockSkewSeconds: 300, replayProtection: false, signatureHints: false };
    assert.deepEqual(
      state.endpoints.map(({ options }) => options),
      [
        { ...common, hideCredentials: true, keyNames: [{ query: 'appKey' }, { header: 'X-App-Key' }] },
        { ...common, ...signature, hideCredentials: true, algorithms: ['hmac-sha256'], acceptRealHttpVersion: false },
        {
          ...common,
          ...signature,
          hideCredentials: false,
          requireTimestamp: false,
          parameterEncoding: 'decoded',
          strictParameters: true,
          unsignedQuery: 'refuse',
          unsignedBody: 'refuse',
        },
        { ...common, hideCredentials: true, tokenInQuery: false },
        common,
      ],
    );
    const [first, , , , open] = state.endpoints;
    assert.deepEqual(first, {
      id: 'k',
      description: '',
      labels: {},
      scenario: 'partner-openapi',
      match: { hosts: [], paths: [{ prefix: '/k' }], methods: [] },
      authentication: 'key',
      accessCondition: 'authenticated',
      limits: [],
      options: first?.options,
      enabled: true,
    });
    assert.equal(open?.authentication, null);
    assert.ok(!('accessCondition' in open));
    assert.deepEqual(state.consumers, [{ ...consumerDefaults, id: 'acme' }]);
    assert.deepEqual(state.grants, [{ endpointId: 'k', consumerId: 'acme', limits: null, expiresAt: null }]);
  });

  it('distinguishes limits that are lifted from limits that are left alone', () => {
    const { grants } = contentOf(`version: 1
endpoints: [{ id: k, scenario: partner-openapi, authentication: key, match: { paths: [{ prefix: /k }] } }]
consumers: [{ id: acme }, { id: b }]
grants: [{ endpoint: k, consumer: acme, limits: [] }, { endpoint: k, consumer: b }]
`);
    assert.deepEqual(
      grants.map(({ limits }) => limits),
      [[], null],
    );
  });

  it('accepts a document that declares nothing', () => {
    assert.deepEqual(contentOf('version: 1'), {
      endpoints: [],
      consumers: [],
      credentials: [],
      grants: [],
      plans: [],
      issuers: [],
    });
    assert.deepEqual(contentOf('---\nversion: 1\nendpoints: []\n...\n').endpoints, []);
  });

  it('reads merge keys as if their mappings were written out, in small and large documents', () => {
    const first = '{ id: a, scenario: open, match: { paths: [{ prefix: /a }] }, description: shared, enabled: false }';
    const own = 'id: b, match: { paths: [{ prefix: /b }] }';
    const filler = `#${' '.repeat(70_000)}\n`;
    for (const end of ['', filler]) {
      const merged = `version: 1\nendpoints:\n  - &a ${first}\n  - { <<: *a, ${own} }\n${end}`;
      const written = `version: 1\nendpoints:\n  - ${first}\n  - { ${own}, scenario: open, description: shared, enabled: false }\n`;
      assert.deepEqual(contentOf(merged), contentOf(written));
    }
    assert.deepEqual(problemsOf('version: 1\n<<: 5\n'), [
      '2:1: "<<" merges mappings: write an alias of one (<<: *name), or a list of such aliases',
    ]);
    assert.deepEqual(problemsOf('version: 1\nendpoints:\n  - { <<: *a }\n'), [
      '3:11: this alias (*name) has no anchor (&name) before it; quote a text that begins with "*"',
    ]);
  });

  it('reads anchors and aliases, however often an alias is used', () => {
    const items = Array.from({ length: 300 }, (_, n) =>
      `  - { <<: 1 }`.replace('<<: 1', `id: e-${String(n)}, ${rest(n)}`),
    );
    const text = `version: 1\nendpoints:\n${items.join('\n').replace('*opt', '&opt { mode: observe }')}\n`;
    const { endpoints } = contentOf(text);
    assert.equal(endpoints.length, 300);
    assert.ok(endpoints.every(({ options }) => options.mode === 'observe'));

    function rest(n: number): string {
      return `scenario: open, match: { paths: [{ prefix: /${String(n)} }] }, options: *opt`;
    }
  });

  it('joins files to one document, with references across them', () => {
    const parsed = parseDocument(
      [
        {
          file: 'grants.yaml',
          text: 'version: 1\ngrants: [{ endpoint: k, consumer: acme }, { endpoint: k, consumer: nobody }]',
        },
        {
          file: 'rest.yaml',
          text: 'version: 1\nconsumers: [{ id: acme }, { id: acme }]\nendpoints:\n  - { id: k, scenario: open, match: { paths: [{ prefix: /k }] } }',
        },
        {
          file: 'more.yaml',
          text: 'version: 1\nendpoints:\n  - { id: l, scenario: open, match: { paths: [{ prefix: /%6b/ }] } }',
        },
      ],
      { isComplete: true, readSecret: secretsOf({}) },
    );
    assert.ok('problems' in parsed);
    assert.deepEqual(
      parsed.problems.map(({ file, line, column, path, message }) => [file, line, column, path, message]),
      [
        ['grants.yaml', 2, 68, 'grants[1].consumer', 'there is no consumer "nobody"'],
        ['rest.yaml', 2, 33, 'consumers[1].id', 'the id "acme" is taken by the consumer on line 2'],
        [
          'more.yaml',
          3,
          37,
          'endpoints[0].match',
          'this takes the same requests as the endpoint "k" on line 4 of rest.yaml (host any, prefix "/k", method any); change one of them',
        ],
      ],
    );
  });

  it('leaves out secrets only where they are kept elsewhere', () => {
    const text = `version: 1
consumers:
  - id: acme
    credentials:
      - { id: a, method: hmac, appKey: acme-a }
      - { id: b, method: key }
      - { id: c, method: hmac, appKey: acme-c, retiringSecret: { expiresAt: 2027-01-01T00:00:00Z } }
      - { method: oauth2 }
`;
    assert.deepEqual(problemsOf(text, { isComplete: false }), [
      '8:9: "appKey" is missing; a credential without one needs an "id", under which the generated pair is kept',
    ]);
    assert.deepEqual(problemsOf(text), [
      '5:9: "appSecret" is missing; write it, or "appSecretFrom" with { env: NAME } or { file: PATH }',
      '6:9: "appKey" is missing; a credential needs it',
      '7:9: "appSecret" is missing; write it, or "appSecretFrom" with { env: NAME } or { file: PATH }',
      '7:64: "appSecret" is missing; write it, or "appSecretFrom" with { env: NAME } or { file: PATH }',
      '8:9: "appKey" is missing; a credential needs it',
      '8:9: "appSecret" is missing; write it, or "appSecretFrom" with { env: NAME } or { file: PATH }',
    ]);
  });

  it('takes the hash of a secret App Key in place of the App Key', () => {
    const hash = hashAppKey('nobody-keeps-this');
    const withHash = (credential: string): string => `version: 1
consumers:
  - id: acme
    credentials:
      - ${credential}
`;
    assert.deepEqual(problemsOf(withHash(`{ id: a, method: key, appKeyHash: ${hash} }`)), []);
    assert.deepEqual(problemsOf(withHash(`{ id: a, method: key, appKeyHash: ${hash}, appKey: k }`)), [
      '5:31: "appKey" and "appKeyHash" exclude each other; keep one',
    ]);
    assert.deepEqual(
      problemsOf(withHash(`{ id: a, methods: [key, hmac], appKeyHash: ${hash} }`), { isComplete: false }),
      [
        '5:40: "appKeyHash" is for a credential of method key only; the App Key of other methods is no secret: write "appKey"',
      ],
    );
    assert.deepEqual(problemsOf(withHash(`{ id: a, method: key, appKeyHash: ${hash.toUpperCase()} }`)), [
      '5:43: "appKeyHash" must be the SHA-256 of an App Key: 64 of the characters 0-9 and a-f',
    ]);
    assert.deepEqual(
      problemsOf(
        withHash(
          `{ id: a, method: key, appKeyHash: ${hash} }\n      - { id: b, method: key, appKey: nobody-keeps-this }`,
        ),
      ),
      ['6:39: the credential on line 5 has this App Key already; an App Key belongs to one credential'],
    );
  });

  it('reads secrets from where the document says', () => {
    const text = `version: 1
consumers:
  - id: acme
    credentials:
      - { method: hmac, appKey: a, appSecretFrom: { env: A_SECRET } }
      - { method: oauth2, appKey: b, appSecretFrom: { file: b.txt } }
      - { method: oauth2, appKey: c, appSecretFrom: { file: missing } }
      - { method: oauth2, appKey: d, appSecretFrom: { env: EMPTY } }
      - { method: oauth2, appKey: e, appSecretFrom: { env: SHORT } }
      - { method: oauth2, appKey: f, appSecretFrom: { env: A_SECRET, file: b.txt } }
      - { method: oauth2, appKey: g, appSecretFrom: A_SECRET }
      - { method: oauth2, appKey: h, appSecretFrom: { env: LINES } }
      - { method: oauth2, appKey: i, appSecretFrom: { env: DOS } }
      - { method: oauth2, appKey: j, appSecretFrom: { file: marked.txt } }
      - { method: oauth2, appKey: k, appSecretFrom: { file: blank.txt } }
`;
    const secrets = {
      A_SECRET: DEMO_SECRET,
      'b.txt': DEMO_SECRET,
      EMPTY: '',
      SHORT: 'fifteen-letters',
      LINES: `${DEMO_SECRET}\n`,
      DOS: `${DEMO_SECRET}\r`,
      'marked.txt': `\ufeff${DEMO_SECRET}`,
      'blank.txt': `${DEMO_SECRET} `,
    };
    assert.deepEqual(problemsOf(text, { secrets }), [
      '7:61: "appSecretFrom" names something that is not there',
      '8:60: the App Secret in the environment variable of "appSecretFrom" is empty',
      '9:60: the App Secret in the environment variable of "appSecretFrom" is too short: an App Secret has 16 to 256 characters',
      '10:53: "appSecretFrom" must be { env: NAME } or { file: PATH }, one of the two',
      '11:53: "appSecretFrom" must be a mapping (key: value); it is a text',
      '12:60: the App Secret in the environment variable of "appSecretFrom" ends with a line feed (U+000A), which nobody sees: remove it',
      '13:60: the App Secret in the environment variable of "appSecretFrom" ends with a carriage return: save the file with Unix line ends',
      '14:61: the App Secret in the file of "appSecretFrom" begins with a byte order mark (U+FEFF), which nobody sees: remove it',
      '15:61: the App Secret in the file of "appSecretFrom" ends with a blank (U+0020), which nobody sees: remove it',
    ]);
    const good = text.split('\n').slice(0, 6).join('\n');
    assert.deepEqual(
      stateOf(good, { secrets }).credentials.map(({ material }) => appSecretOf(material)?.reveal().toString()),
      [DEMO_SECRET, DEMO_SECRET],
    );
  });
});
