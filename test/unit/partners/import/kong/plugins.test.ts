import assert from 'node:assert/strict';
import { endpointOf, importText, linesOf } from './import-text.ts';

/** Imports one route `a` with plugins in YAML's flow style. */
function withPlugins(plugins: string, options: Parameters<typeof importText>[1] = {}): ReturnType<typeof importText> {
  return importText(`_format_version: "3.0"\nroutes:\n  - { name: a, paths: [/a], plugins: [${plugins}] }\n`, options);
}

function errorsOf(plugins: string): string {
  return linesOf(withPlugins(plugins).findings, 'error').join('\n');
}

const isClosed = { authentication: 'key', accessCondition: 'authenticated-and-authorized', enabled: false };

/** Who gets in by an endpoint. */
function accessOf(imported: ReturnType<typeof importText>): object {
  const { authentication, accessCondition, enabled, options, scenario } = endpointOf(imported, 'a');
  return JSON.parse(JSON.stringify({ scenario, authentication, accessCondition, enabled, options })) as object;
}

describe('a route of Kong', () => {
  it('without plugins is open, as in Kong', () => {
    assert.deepEqual(accessOf(withPlugins('')), { scenario: 'open' });
  });

  it('with key-auth takes the key where Kong takes it, in its order', () => {
    assert.deepEqual(
      accessOf(withPlugins('{ name: key-auth, config: { key_names: [x-key, api_key], hide_credentials: true } }')),
      {
        scenario: 'partner-openapi',
        authentication: 'key',
        options: {
          keyNames: [
            { header: 'x-key' },
            { query: 'x-key' },
            { header: 'api_key' },
            { header: 'api-key' },
            { query: 'api_key' },
          ],
        },
      },
    );
    const { options } = accessOf(withPlugins('{ name: key-auth, config: { key_in_query: false } }')) as {
      options: unknown;
    };
    assert.deepEqual(options, { keyNames: [{ header: 'apikey' }], hideCredentials: false });
  });

  it('with a key name that no request can have takes the others', () => {
    const imported = withPlugins('{ name: key-auth, config: { key_names: ["", x-key], key_in_header: false } }');
    assert.deepEqual(endpointOf(imported, 'a')['options'], { keyNames: [{ query: 'x-key' }], hideCredentials: false });
    assert.match(
      linesOf(imported.findings, 'error').join(),
      /from the query parameter "", which cannot carry an App Key/,
    );
  });

  it('with a key in the body only refuses everything', () => {
    const plugin = '{ name: key-auth, config: { key_in_query: false, key_in_header: false, key_in_body: true } }';
    assert.deepEqual(accessOf(withPlugins(plugin)), { scenario: 'partner-openapi', ...isClosed });
    assert.match(errorsOf(plugin), /also takes the key from the body/);
    assert.match(errorsOf(plugin), /takes the key only from where Postern does not look/);
  });

  it('with hmac-auth has its algorithms and clock skew', () => {
    const plugin =
      '{ name: hmac-auth, config: { algorithms: [hmac-sha512, hmac-sha1], clock_skew: 60.5, hide_credentials: true } }';
    const imported = withPlugins(plugin);
    assert.deepEqual(accessOf(imported), {
      scenario: 'partner-openapi',
      authentication: 'hmac',
      options: { algorithms: ['hmac-sha512'], clockSkewSeconds: 60, acceptRealHttpVersion: true },
    });
    const warnings = linesOf(imported.findings, 'warning').join('\n');
    for (const word of ['hmac-sha1', 'appkey="…"', 'signed Digest', 'lets callers choose what they sign']) {
      assert.ok(warnings.includes(word), word);
    }
  });

  it('with hmac-auth says which headers Kong wants signed and Postern does not', () => {
    const plugin = '{ name: hmac-auth, config: { enforce_headers: [date, request-line, host] } }';
    const warnings = linesOf(withPlugins(plugin).findings, 'warning').join('\n');
    assert.match(warnings, /requires "host" signed/);
    assert.doesNotMatch(warnings, /lets callers choose/);
  });

  for (const [what, plugin] of [
    ['only hmac-sha1', '{ name: hmac-auth, config: { algorithms: [hmac-sha1] } }'],
    ['less than a second of clock skew', '{ name: hmac-auth, config: { clock_skew: 0.5 } }'],
    ['no client credentials', '{ name: oauth2, config: { enable_authorization_code: true } }'],
    ['a setting that is not known', '{ name: key-auth, config: { only_on_sundays: true } }'],
    ['an authentication that Postern does not support', '{ name: openid-connect }'],
    ['two that both have to pass', '{ name: key-auth }, { name: hmac-auth }'],
    ['two that both have to pass, one of them unknown', '{ name: key-auth }, { name: openid-connect }'],
    [
      'a plugin that keeps addresses out',
      '{ name: key-auth }, { name: ip-restriction, config: { allow: [10.0.0.0/8] } }',
    ],
    ['an unknown plugin', '{ name: our-own-guard }'],
    ['code of its own', '{ name: pre-function, config: { access: ["return kong.response.exit(403)"] } }'],
  ] as const) {
    it(`refuses everything, with an error: ${what}`, () => {
      const imported = withPlugins(plugin);
      assert.equal(endpointOf(imported, 'a')['enabled'], false, JSON.stringify(imported.endpoints));
      assert.ok(imported.counts.error > 0);
      assert.deepEqual(imported.grants, []);
    });
  }

  it('keeps its authentication where only another plugin closed it, and opens again when that is done elsewhere', () => {
    const plugins = '{ name: key-auth }, { name: ip-restriction }';
    assert.equal(endpointOf(withPlugins(plugins), 'a')['authentication'], 'key');
    assert.equal(endpointOf(withPlugins(plugins), 'a')['accessCondition'], undefined);
    const imported = withPlugins(plugins, { elsewhere: new Set(['ip-restriction']) });
    assert.deepEqual([endpointOf(imported, 'a')['enabled'], imported.counts.error], [undefined, 0]);
  });

  it('with an anonymous consumer refuses callers without credentials, and reports it', () => {
    const imported = withPlugins('{ name: key-auth, config: { anonymous: guest } }');
    assert.equal(endpointOf(imported, 'a')['authentication'], 'key');
    assert.match(linesOf(imported.findings, 'warning').join('\n'), /lets callers without valid credentials in/);
  });

  it('with one of two authentications takes one, with an error for the callers of the other', () => {
    const imported = withPlugins(
      '{ name: key-auth, config: { anonymous: g } }, { name: hmac-auth, config: { anonymous: g } }',
    );
    assert.equal(endpointOf(imported, 'a')['authentication'], 'hmac');
    assert.match(
      linesOf(imported.findings, 'error').join('\n'),
      /accepts callers who pass any of "key-auth", "hmac-auth"/,
    );
  });

  it('takes the authentication that has to pass, whatever may pass beside it', () => {
    const imported = withPlugins('{ name: key-auth }, { name: jwt, config: { anonymous: g } }');
    assert.deepEqual([endpointOf(imported, 'a')['authentication'], imported.counts.error], ['key', 0]);
  });

  it('that Kong ends refuses everything, without an error', () => {
    const imported = withPlugins('{ name: request-termination, config: { status_code: 503 } }');
    assert.deepEqual([endpointOf(imported, 'a')['enabled'], imported.counts.error], [false, 0]);
    assert.equal(withPlugins('{ name: request-termination, config: { trigger: x } }').counts.error, 1);
  });

  it('with an acl and no authentication refuses everybody, as Kong does', () => {
    assert.equal(endpointOf(withPlugins('{ name: acl, config: { allow: [x] } }'), 'a')['enabled'], false);
  });

  it('does not mind plugins that keep no caller out, and disabled ones', () => {
    const imported = withPlugins('{ name: prometheus }, { name: cors }, { name: jwt, enabled: false }');
    assert.deepEqual([accessOf(imported), imported.counts.error], [{ scenario: 'open' }, 0]);
  });
});

describe('endpoints that observe while Kong decides', () => {
  it('let everything through with its credentials; what refuses everything goes on to', () => {
    const imported = withPlugins('{ name: key-auth, config: { hide_credentials: true } }', { observes: true });
    assert.deepEqual(endpointOf(imported, 'a')['options'], {
      keyNames: [{ header: 'apikey' }, { query: 'apikey' }],
      hideCredentials: false,
      mode: 'observe',
    });
    assert.match(linesOf(imported.findings, 'warning').join('\n'), /endpoints let everything through/);
    assert.deepEqual(endpointOf(withPlugins('', { observes: true }), 'a')['options'], { mode: 'observe' });
    assert.equal(endpointOf(withPlugins('{ name: openid-connect }', { observes: true }), 'a')['enabled'], false);
  });
});

describe('the scope of plugins', () => {
  const text = (plugins: string): string => `_format_version: "3.0"
plugins: [${plugins}]
services:
  - name: s
    plugins: [{ name: key-auth, config: { key_names: [of-service] } }]
    routes:
      - { name: a, paths: [/a], plugins: [{ name: key-auth, config: { key_names: [of-route] } }] }
      - { name: b, paths: [/b], plugins: [{ name: key-auth, enabled: false, config: { key_names: [off] } }] }
routes: [{ name: c, paths: [/c] }]
`;

  it('is that of the route before the service before everything; disabled ones leave it to the next', () => {
    const imported = importText(text('{ name: key-auth, config: { key_names: [of-all], key_in_query: false } }'));
    const keys = ['a', 'b', 'c'].map((id) => JSON.stringify(endpointOf(imported, id)['options']));
    for (const [index, name] of ['of-route', 'of-service', 'of-all'].entries()) {
      assert.ok(keys[index]?.includes(name), `${name}: ${keys.join(' ')}`);
    }
  });

  it('is what a plugin at the top names', () => {
    const imported = importText(
      text(
        '{ name: ip-restriction, route: a }, { name: acl, service: { name: s }, config: { allow: [x] } }, { name: openid-connect, route: c }',
      ),
    );
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => [endpointOf(imported, id)['enabled'], endpointOf(imported, id)['accessCondition']]),
      [
        [false, 'authenticated-and-authorized'],
        [undefined, 'authenticated-and-authorized'],
        [false, 'authenticated-and-authorized'],
      ],
    );
  });

  it('is one consumer: kept out by request-termination, or by what Postern does not support', () => {
    const imported = importText(`_format_version: "3.0"
routes: [{ name: a, paths: [/a], plugins: [{ name: key-auth }] }]
consumers:
  - { username: ended, plugins: [{ name: request-termination }] }
  - { username: limited, plugins: [{ name: ip-restriction }] }
  - { username: logged, plugins: [{ name: file-log }] }
  - { username: grouped, groups: [{ name: gold }] }
  - { username: member }
consumer_groups:
  - { id: g1, name: gold, plugins: [{ name: our-own-guard }] }
  - { id: g2, name: silver }
consumer_group_plugins: [{ name: another-guard, consumer_group: silver }]
consumer_group_consumers: [{ consumer: member, consumer_group: g2 }]
`);
    assert.deepEqual(
      imported.consumers.map(({ id, enabled }) => [id, enabled]),
      [
        ['ended', false],
        ['limited', false],
        ['logged', undefined],
        ['grouped', false],
        ['member', false],
      ],
    );
    assert.equal(imported.counts.error, 3);
  });
});

describe('the groups of acl plugins', () => {
  const imported = (config: string): ReturnType<typeof importText> =>
    importText(`_format_version: "3.0"
routes:
  - { name: a, paths: [/a], plugins: [{ name: key-auth }, { name: acl, config: ${config} }] }
consumers:
  - { username: one, acls: [{ group: gold }] }
  - { username: two, acls: [{ group: silver }] }
  - { username: none }
acls: [{ consumer: two, group: gold }, { consumer: none, group: bronze }]
`);
  const granted = (config: string): readonly unknown[] => imported(config).grants.map(({ consumer }) => consumer);

  it('become grants', () => {
    assert.deepEqual(granted('{ allow: [gold] }'), ['one', 'two']);
    assert.deepEqual(granted('{ whitelist: [bronze, silver] }'), ['two', 'none']);
    assert.deepEqual(granted('{ allow: [nobody] }'), []);
  });

  it('can be those of Kong Enterprise too; a setting that is not known closes the endpoint', () => {
    const withGroups = (config: string): ReturnType<typeof importText> =>
      importText(`_format_version: "3.0"
routes: [{ name: a, paths: [/a], plugins: [{ name: key-auth }, { name: acl, config: ${config} }] }]
consumers: [{ username: one }, { username: two }]
consumer_groups: [{ id: g1, name: gold, consumers: [{ username: one }] }]
`);
    const consumersOf = (config: string): readonly unknown[] =>
      withGroups(config).grants.map(({ consumer }) => consumer);
    assert.deepEqual(consumersOf('{ deny: [gold] }'), ['one', 'two']);
    assert.deepEqual(consumersOf('{ deny: [gold], include_consumer_groups: true }'), ['two']);
    assert.equal(endpointOf(withGroups('{ deny: [x], only_on_sundays: true }'), 'a')['enabled'], false);
  });

  it('that are denied leave a grant to everybody else', () => {
    assert.deepEqual(granted('{ deny: [silver] }'), ['one', 'none']);
    assert.deepEqual(granted('{ blacklist: [gold] }'), ['none']);
    assert.match(
      linesOf(imported('{ deny: [x] }').findings, 'warning').join('\n'),
      /for each consumer that is in none of them now/,
    );
  });
});
