import assert from 'node:assert/strict';
import { endpointOf, importText, linesOf, problemsOf } from './import-text.ts';

const file = (lines: string): string => `_format_version: "3.0"\n${lines}`;

/** The errors of a file, with what to do. */
function errorsOf(text: string): readonly string[] {
  return importText(text).findings.flatMap(({ level, subject, what, instead }) =>
    level === 'error' ? [`${subject}: ${what} -> ${String(instead)}`] : [],
  );
}

const render = /render the file first, with the tool that fills it in \(deck file render/;

describe('a route with something unknown or not filled in', () => {
  for (const [what, keys] of [
    ['a misspelt key', 'plugns: [{ name: key-auth }]'],
    ['a condition of a later Kong', 'weather: fine'],
  ] as const) {
    it(`is a disabled endpoint that keeps its requests from broader ones: ${what}`, () => {
      const text = file(`routes: [{ name: a, paths: [/a], ${keys} }, { name: all, paths: [/] }]\n`);
      const imported = importText(text);
      assert.deepEqual(endpointOf(imported, 'a')['match'], { paths: [{ prefix: '/a' }] });
      assert.equal(endpointOf(imported, 'a')['enabled'], false);
      // Kong's /a takes /a2, which the other endpoint would have.
      assert.equal(endpointOf(imported, 'all')['enabled'], false);
      const [error = ''] = errorsOf(text);
      assert.match(error, /^route "a": has "(plugns|weather)", which the importer does not know and which may keep/);
      assert.match(error, /-> correct it \(Kong refuses keys that it does not know\), or remove it$/);
    });
  }

  it('closes what might take its requests, and nothing else: a placeholder in a path or host', () => {
    const text = file(`routes:
  - { name: a, hosts: ["\${HOST}.example.com"], paths: ["/a/\${VERSION}"], plugins: [{ name: key-auth }] }
  - { name: b, paths: [/a] }
  - { name: c, paths: [/c] }
`);
    const imported = importText(text);
    assert.deepEqual(
      imported.endpoints.map(({ id, enabled }) => [id, enabled]),
      [
        ['b', false],
        ['c', undefined],
      ],
    );
    const [error = ''] = errorsOf(text);
    assert.match(error, /^route "a": has a placeholder: the endpoint refuses everything, and so do others/);
    assert.match(error, render);
  });
});

describe('a plugin with something unknown or not filled in', () => {
  const withPlugin = (plugin: string): string =>
    file(
      `services: [{ name: s, plugins: [${plugin}], routes: [{ name: a, paths: [/a] }] }]\nroutes: [{ name: b, paths: [/b] }]\n`,
    );

  it('closes what it may apply to', () => {
    for (const plugin of [
      '{ name: key-auth, confg: { key_names: [x] } }',
      '{ name: key-auth, config: { key_names: ["{{ .Values.name }}"] } }',
      '{ name: key-auth }, { name: acl, config: { deny: ["$GROUP"] } }',
      '{ name: "{vault://env/plugin}" }',
    ]) {
      const imported = importText(withPlugin(plugin));
      assert.equal(endpointOf(imported, 'a')['enabled'], false, plugin);
      assert.equal(endpointOf(imported, 'b')['enabled'], undefined, plugin);
      assert.equal(imported.counts.error, 1, linesOf(imported.findings).join('\n'));
    }
  });

  it('is as it was where a placeholder keeps nobody out', () => {
    for (const plugin of [
      '{ name: http-log, config: { http_endpoint: "${LOGS}" } }',
      '{ name: rate-limiting, config: { minute: 5, limit_by: service, redis: { password: "{vault://env/redis}" } } }',
    ]) {
      const imported = importText(withPlugin(plugin));
      assert.deepEqual([endpointOf(imported, 'a')['enabled'], imported.counts.error], [undefined, 0], plugin);
    }
  });
});

describe('what Kong refuses because it is there twice', () => {
  it('closes what it may apply to: a plugin in one scope', () => {
    const imported = importText(
      file(`routes: [{ name: a, paths: [/a], plugins: [{ name: key-auth }] }, { name: b, paths: [/b], plugins: [{ name: http-log }] }]
plugins: [
  { name: acl, route: a, config: { allow: [one] } }, { name: acl, route: a, config: { allow: [two] } }, { name: http-log, route: b }
]
consumers: [{ username: c, acls: [{ group: one }] }]
`),
    );
    assert.deepEqual(
      imported.endpoints.map(({ enabled }) => enabled),
      [false, undefined],
    );
    assert.match(linesOf(imported.findings, 'error').join(), /plugin "acl": stands twice for the same service, route/);
  });

  it('is a problem: a name that leads to several', () => {
    const text = file(`services: [{ name: s }, { name: s }]\nplugins: [{ name: key-auth, service: s }]\n`);
    assert.match(problemsOf(text).join(), /several services in this file are named "s"/);
    assert.equal(
      importText(file('consumers: [{ id: c, username: c, groups: [] }]\nacls: [{ consumer: c, group: g }]\n')).counts
        .error,
      0,
    );
  });
});

describe('a service with something unknown or not filled in', () => {
  const withKey = (key: string): ReturnType<typeof importText> =>
    importText(
      file(`services: [{ name: s, ${key}, routes: [{ name: a, paths: [/a] }] }]\nroutes: [{ name: b, paths: [/b] }]\n`),
    );

  it('closes its routes, and all where it may hide routes', () => {
    for (const [key, enabled] of [
      ['plugns: [{ name: key-auth }]', undefined],
      ['later: true', undefined],
      ['rutes: [{ name: c, paths: [/b/c] }]', false],
    ] as const) {
      const imported = withKey(key);
      assert.equal(endpointOf(imported, 'a')['enabled'], false, key);
      assert.equal(endpointOf(imported, 'b')['enabled'], enabled, key);
    }
  });

  it('may have placeholders where only connections are about', () => {
    assert.equal(withKey('url: "${URL}", tags: ["${TEAM}"]').counts.error, 0);
  });
});

describe('a consumer with something unknown or not filled in', () => {
  for (const keys of [
    'plugns: []',
    'acls: [{ group: "${GROUP}" }]',
    'acls: [{ group: gold, grup: x }]',
    'groups: [x]',
  ]) {
    it(`is disabled and has no grants: ${keys}`, () => {
      const imported = importText(
        file(`routes: [{ name: a, paths: [/a], plugins: [{ name: key-auth }, { name: acl, config: { deny: [bad] } }] }]
consumers: [{ username: c, keyauth_credentials: [{ key: the-key }], ${keys} }]
`),
      );
      assert.deepEqual([imported.consumers[0]?.['enabled'], imported.grants], [false, []]);
      assert.equal(imported.counts.error, 1, linesOf(imported.findings).join('\n'));
      assert.match(linesOf(imported.findings, 'error').join(), /: the consumer is disabled/);
    });
  }

  it('loses credentials with keys that are not known, and secrets that are templates', () => {
    for (const credential of [
      'keyauth_credentials: [{ key: the-key, tll: 60 }]',
      'hmacauth_credentials: [{ username: c, secret: "prefix-{{ .Values.secret }}" }]',
    ]) {
      const imported = importText(file(`consumers: [{ username: c, ${credential} }]\n`));
      assert.equal(imported.consumers[0]?.['credentials'], undefined, credential);
      assert.match(linesOf(imported.findings, 'error').join(), /: it was left out/);
    }
  });
});

describe('what a whole file may hide', () => {
  it('closes every endpoint: an unknown list, or a consumer group that is not known for sure', () => {
    for (const list of [
      'plugns: [{ name: key-auth }]',
      '_plugins: [{ name: key-auth }]',
      'consumer_groups: [{ name: "${GROUP}" }]',
    ]) {
      const imported = importText(file(`routes: [{ name: a, paths: [/a] }]\n${list}\n`));
      assert.equal(endpointOf(imported, 'a')['enabled'], false, list);
    }
    assert.equal(importText(file('_ignore: [1]\n_comment: x\nroutes: [{ name: a, paths: [/a] }]\n')).counts.error, 0);
  });

  it('is a problem: a placeholder for another type, unknown keys of _info, members and plugins of no group', () => {
    for (const [text, problem] of [
      ['services: [{ name: s, enabled: "${ON}" }]', /"enabled" has a placeholder in its place: render the file first/],
      ['routes: "${ROUTES}"', /"routes" has a placeholder in its place: render the file first/],
      ['_info: { selct_tags: [a] }', /"_info" has "selct_tags", which is unknown/],
      ['consumer_group_plugins: [{ name: key-auth }]', /"consumer_group" is missing/],
      ['plugins: [{ name: key-auth, consumer_group: x }]', /there is no consumer group "x" in this file/],
      ['consumers: [{ username: c, groups: [{ nme: x }] }]', /must be the name or id of an entity/],
    ] as const) {
      assert.match(problemsOf(file(`${text}\n`)).join('\n'), problem);
    }
  });
});
