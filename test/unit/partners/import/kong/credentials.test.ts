import assert from 'node:assert/strict';
import { importText, linesOf } from './import-text.ts';

/** Imports one consumer `acme` with what is written after its name. */
function acmeWith(text: string): ReturnType<typeof importText> {
  return importText(`_format_version: "3.0"\nconsumers:\n  - { username: acme, ${text} }\n`);
}

function credentialsOf(text: string): unknown {
  return acmeWith(text).consumers[0]?.['credentials'];
}

const SECRET = 'a secret of sixteen or more';

describe('an imported consumer', () => {
  it('keeps Kong’s id, which back ends know, and its name', () => {
    const { consumers } = importText(
      '_format_version: "3.0"\nconsumers: [{ id: 5f1dd8c4-7f4e-4d4e-9d3a-1d1c0f8a3b01, username: Acme Ltd, custom_id: "42", tags: [a, b] }]\n',
    );
    assert.deepEqual(consumers, [
      {
        id: '5f1dd8c4-7f4e-4d4e-9d3a-1d1c0f8a3b01',
        name: 'Acme Ltd',
        labels: { 'kong-custom-id': '42', 'kong-tags': 'a,b' },
      },
    ]);
  });

  it('gets an id of its name where the file has none, and reports it', () => {
    const imported = importText(
      '_format_version: "3.0"\nconsumers: [{ username: Acme Ltd }, { custom_id: acme-ltd }, { username: "" }]\n',
    );
    assert.deepEqual(
      imported.consumers.map(({ id }) => String(id).replace(/[0-9a-f]{8}$/, '#')),
      ['acme-ltd-#', 'acme-ltd', 'k#'],
    );
    assert.match(linesOf(imported.findings, 'warning').join('\n'), /3 consumers have no id in this file/);
  });
});

describe('an imported credential', () => {
  it('has an App Key of up to 512 characters', () => {
    const appKey = 'k'.repeat(512);
    const { consumers } = acmeWith(`keyauth_credentials: [{ key: ${appKey} }]`);
    assert.deepEqual(consumers[0]?.['credentials'], [{ method: 'key', appKey }]);
  });

  it('is one of key, hmac and oauth2, nested or at the top of the file', () => {
    const nested = acmeWith(
      `keyauth_credentials: [{ id: 0b7c4c1e-52a1-4a66-9f0e-6a0e5f3f1a11, key: k1 }], hmacauth_credentials: [{ username: acme, secret: ${SECRET} }], oauth2_credentials: [{ name: n, client_id: Client.1, client_secret: ${SECRET} }]`,
    );
    assert.deepEqual(nested.consumers[0]?.['credentials'], [
      { id: '0b7c4c1e-52a1-4a66-9f0e-6a0e5f3f1a11', method: 'key', appKey: 'k1' },
      { id: 'acme', method: 'hmac', appKey: 'acme', appSecret: SECRET },
      { method: 'oauth2', appKey: 'Client.1', appSecret: SECRET },
    ]);
    assert.deepEqual([nested.holdsSecrets, nested.counts.error], [true, 0]);
    const top = importText(`_format_version: "3.0"
consumers: [{ username: acme }]
keyauth_credentials: [{ id: 0b7c4c1e-52a1-4a66-9f0e-6a0e5f3f1a11, consumer: acme, key: k1 }]
hmacauth_credentials: [{ consumer: { username: acme }, username: acme, secret: ${SECRET} }]
oauth2_credentials: [{ consumer: acme, name: n, client_id: Client.1, client_secret: ${SECRET} }]
`);
    assert.deepEqual(top.consumers, nested.consumers);
  });

  it('refers to the environment where Kong or decK does', () => {
    assert.deepEqual(
      credentialsOf(
        `hmacauth_credentials: [{ username: a, secret: "{vault://env/acme-secret}" }, { username: b, secret: '\${{ env "DECK_B" }}' }, { username: c, secret: "\${C_SECRET}" }, { username: d, secret: $D_SECRET_OF_ACME }]`,
      ),
      [
        { id: 'a', method: 'hmac', appKey: 'a', appSecretFrom: { env: 'ACME_SECRET' } },
        { id: 'b', method: 'hmac', appKey: 'b', appSecretFrom: { env: 'DECK_B' } },
        { id: 'c', method: 'hmac', appKey: 'c', appSecretFrom: { env: 'C_SECRET' } },
        { id: 'd', method: 'hmac', appKey: 'd', appSecretFrom: { env: 'D_SECRET_OF_ACME' } },
      ],
    );
    assert.equal(acmeWith('hmacauth_credentials: [{ username: a, secret: "{vault://env/x}" }]').holdsSecrets, false);
  });

  it('that hmac and oauth2 share is one with both methods', () => {
    assert.deepEqual(
      credentialsOf(
        `hmacauth_credentials: [{ username: acme, secret: ${SECRET} }], oauth2_credentials: [{ name: n, client_id: acme, client_secret: ${SECRET} }]`,
      ),
      [{ id: 'acme', methods: ['hmac', 'oauth2'], appKey: 'acme', appSecret: SECRET }],
    );
  });

  it('ends when Kong ends it', () => {
    assert.deepEqual(credentialsOf('keyauth_credentials: [{ key: k1, ttl: 60, created_at: 1790000000 }]'), [
      { method: 'key', appKey: 'k1', expiresAt: '2026-09-21T14:14:20Z' },
    ]);
  });

  for (const [what, text, message] of [
    ['a key of other characters', 'keyauth_credentials: [{ key: "se+cret/key=" }]', 'with other characters than A-Z'],
    ['a key that Kong generates', 'keyauth_credentials: [{ tags: [x] }]', 'has no "key" in this file'],
    [
      'a key by reference',
      'keyauth_credentials: [{ key: "{vault://env/x}" }]',
      'has a reference to the vault "env" in place of its "key"',
    ],
    ['a key that is a placeholder', 'keyauth_credentials: [{ key: $ACME_KEY }]', 'has a placeholder ($NAME) in place'],
    [
      'a key that decK fills in',
      `keyauth_credentials: [{ key: '\${{ env "DECK_KEY" }}' }]`,
      'has a variable of decK in place of its "key"',
    ],
    ['a long key', `keyauth_credentials: [{ key: ${'k'.repeat(513)} }]`, 'has a "key" of more than 512 characters'],
    ['a key that expires at an unknown time', 'keyauth_credentials: [{ key: k1, ttl: 60 }]', 'expires, but'],
    ['a short secret', 'hmacauth_credentials: [{ username: a, secret: tooshort }]', 'is too short'],
    ['a secret that Kong generates', 'hmacauth_credentials: [{ username: a }]', 'has no "secret" in this file'],
    [
      'a secret in a vault',
      'hmacauth_credentials: [{ username: a, secret: "{vault://hcv/acme/hmac}" }]',
      'has a reference to the vault "hcv" in place of its "secret"',
    ],
    [
      'a hashed secret',
      'oauth2_credentials: [{ name: n, client_id: c, client_secret: "$pbkdf2-sha512$i=10000,l=32$abc$def" }]',
      'only the hash',
    ],
    ['a public client', 'oauth2_credentials: [{ name: n, client_id: c, client_type: public }]', 'is a public client'],
    [
      'an App Key that another has',
      `keyauth_credentials: [{ key: same }], hmacauth_credentials: [{ username: same, secret: ${SECRET} }]`,
      'an App Key belongs to one',
    ],
    [
      'a shared name with another secret',
      `hmacauth_credentials: [{ username: c, secret: ${SECRET} }], oauth2_credentials: [{ name: n, client_id: c, client_secret: ${SECRET}r }]`,
      'an App Key belongs to one',
    ],
    ['basic-auth', 'basicauth_credentials: [{ username: a, password: b }]', 'has credentials of basic-auth'],
  ] as const) {
    it(`is left out with an error, which does not repeat it: ${what}`, () => {
      const imported = acmeWith(text);
      const errors = linesOf(imported.findings, 'error');
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.ok(errors[0]?.includes(message), errors[0]);
      for (const value of ['se+cret', 'tooshort', 'pbkdf2-sha512', SECRET])
        assert.ok(!JSON.stringify(imported.findings).includes(value));
    });
  }
});

describe('an imported client of oauth2', () => {
  it('is reported when its secret reads otherwise in HTTP Basic, in words that do not hold it', () => {
    for (const secret of ['plus+plus+plus+plus', '100%-of-the-secret', 'colon:colon:colon', 'a secret with blanks']) {
      const imported = acmeWith(`oauth2_credentials: [{ name: n, client_id: c, client_secret: "${secret}" }]`);
      const warnings = linesOf(imported.findings, 'warning').join('\n');
      assert.match(
        warnings,
        /that has a secret with "\+", "%", ":" or a blank: Kong takes it from HTTP Basic as it is/,
      );
      assert.ok(!warnings.includes(secret));
      assert.equal(imported.counts.error, 0);
    }
    for (const credential of [
      'oauth2_credentials: [{ name: n, client_id: c, client_secret: plain-secret-of-c }]',
      'oauth2_credentials: [{ name: n, client_id: c, client_secret: \'${{ env "DECK_C" }}\' }]',
      'hmacauth_credentials: [{ username: c, secret: "plus+plus+plus+plus" }]',
    ]) {
      assert.doesNotMatch(linesOf(acmeWith(credential).findings).join('\n'), /HTTP Basic/, credential);
    }
  });

  it('may no longer send its credentials twice, which the plugin reports', () => {
    const { findings } = importText(`_format_version: "3.0"
routes: [{ name: a, paths: [/a], plugins: [{ name: oauth2, config: { enable_client_credentials: true } }] }]
`);
    assert.match(
      linesOf(findings, 'warning').join('\n'),
      /in the header and the body of one request; Postern refuses both/,
    );
  });
});
