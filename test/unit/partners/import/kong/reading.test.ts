import assert from 'node:assert/strict';
import fc from 'fast-check';
import { declaredDocument, importKong, reportExcess } from '../../../../../src/partners/import/kong/import-kong.ts';
import type { KongConfiguration } from '../../../../../src/partners/import/kong/kong-entities.ts';
import type { ProblemLog } from '../../../../../src/model/document/problem-log.ts';
import { regexLiteral } from '../../../../../src/partners/import/kong/route-match.ts';
import { uniqueIds } from '../../../../../src/partners/import/kong/unique-ids.ts';
import { ID_PATTERN } from '../../../../../src/model/document/fields.ts';
import { importText, problemsOf, undecided } from './import-text.ts';

describe('a file that is no configuration of Kong', () => {
  for (const [text, ...problems] of [
    ['', '1:1: "the document" must be a mapping'],
    ['services: []\n', '1:1: "_format_version" is missing'],
    ['_format_version: "4.0"\n', '1:18: "_format_version" must be one of 1.1, 2.1, 3.0'],
    ['_format_version: "3.0"\nroutes: { a: b }\n', '2:9: "routes" must be a list, as in Kong'],
    ['_format_version: "3.0"\nroutes:\n  - paths: /a\n', '3:12: "paths" must be a list, as in Kong'],
    [
      '_format_version: "3.0"\nroutes:\n  - { name: 7, strip_path: "yes" }\n',
      '3:13: "name" must be a text: quote it, as in Kong',
      '3:28: "strip_path" must be true or false, as in Kong',
    ],
    [
      '_format_version: "3.0"\nroutes:\n  - { name: a, service: odrers }\nservices: [{ name: orders }]\n',
      '3:25: there is no service "odrers" in this file; did you mean "orders"?',
    ],
    ['_format_version: "3.0"\nplugins: [{ config: {} }]\n', '2:11: "name" is missing; a plugin needs it'],
    ['_format_version: "3.0"\nconsumers: [{ tags: [a] }]\n', '2:13: a consumer needs "username" or "custom_id"'],
    [
      '_format_version: "3.0"\nkeyauth_credentials: [{ key: hush-hush }]\n',
      '2:23: "consumer" is missing; this needs it',
    ],
    ['_format_version: "3.0"\nroutes: [{ name: a }]\n', '2:10: a route needs "hosts", "paths"'],
    ['_format_version: "3.0"\nroutes: [\n', 'not valid YAML'],
    ['_format_version: "3.0"\nroutes: !x []\n', 'tags (!name) are not supported'],
    [
      '_format_version: "3.0"\n_info: { defaults: { route: { hosts: [x] } } }\n',
      'defaults for "hosts" are not filled in',
    ],
    ['_format_version: "3.0"\nplugins: [{ name: x, _config: y }]\n', 'there is no "y" in "_plugin_configs"'],
  ] as const) {
    it(`is reported where it is wrong: ${JSON.stringify(text)}`, () => {
      const shown = problemsOf(text).join('\n');
      for (const problem of problems)
        assert.ok(shown.includes(problem.replace('"the document"', 'the document')), shown);
      assert.ok(!shown.includes('hush'));
    });
  }

  it('is manifests of Kubernetes, which are named', () => {
    const consumer = 'apiVersion: configuration.konghq.com/v1\nkind: KongConsumer\nusername: acme\n';
    const secret = 'apiVersion: v1\nkind: Secret\nstringData: { key: hush-hush }\n';
    for (const [text, kinds] of [
      [`${consumer}---\n${secret}`, 'KongConsumer, Secret'],
      ['- apiVersion: configuration.konghq.com/v1\n  kind: KongPlugin\n', 'KongPlugin'],
      ['{ "apiVersion": "v1", "kind": "List", "items": [{ "apiVersion": "v1", "kind": "Secret" }] }', 'List, Secret'],
    ] as const) {
      const shown = problemsOf(text);
      assert.equal(shown.length, 1, shown.join('\n'));
      assert.match(shown[0] ?? '', /^1:1: these are manifests of Kubernetes \(/);
      assert.ok(shown[0]?.includes(`(${kinds}), which the importer does not read: import what Kong made of them`));
      assert.doesNotMatch(shown[0] ?? '', /hush/);
    }
  });

  it('is one that holds only what has certain tags, unless it is said to be whole', () => {
    const text = '_format_version: "3.0"\n_info: { select_tags: [team-a] }\nroutes: [{ name: a, paths: [/a] }]\n';
    assert.match(problemsOf(text).join('\n'), /^2:23: this file holds only what has these tags/);
    assert.equal(importText(text, { isComplete: true }).endpoints.length, 1);
  });

  it('is one that is too large, or grows with its aliases', () => {
    assert.match(
      problemsOf(`_format_version: "3.0"\n#${' '.repeat(16 * 1024 * 1024)}`).join('\n'),
      /larger than 16 MiB; divide it by services/,
    );
    const bomb = ['_format_version: "3.0"', 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level += 1) {
      const before = `*a${String(level - 1)}`;
      bomb.push(`a${String(level)}: &a${String(level)} [${new Array(10).fill(before).join(', ')}]`);
    }
    assert.match(problemsOf(bomb.join('\n')).join('\n'), /with its aliases the document holds more than/);
    assert.match(problemsOf(`_format_version: "3.0"\na: ${'['.repeat(100_000)}`).join('\n'), /nests more than/);
  });

  it('is one that would take too long', () => {
    const list = (length: number, item: (index: number) => string): string =>
      `[${Array.from({ length }, (_, index) => item(index)).join(', ')}]`;
    const excess = (text: string): string => problemsOf(`_format_version: "3.0"\n${text}`).join('\n');
    const hosts = list(400, (index) => `h${String(index)}.example.com`);
    assert.match(
      excess(`routes: [{ name: a, hosts: ${hosts}, paths: ${list(400, (index) => `/p${String(index)}`)} }]\n`),
      /more than 100000 pairs of host and path/,
    );
    assert.match(
      excess(`routes: ${list(10_001, (index) => `{ name: r${String(index)}, paths: [/r${String(index)}] }`)}\n`),
      /more than 10000 endpoints, which no store takes/,
    );
    assert.match(
      excess(`plugins: ${list(1001, (index) => `{ name: p${String(index)} }`)}\n`),
      /more than 1000 different plugins/,
    );
    const plugins = `x: &p ${list(450, () => '{ name: cors }')}\nservices: ${list(450, (index) => `{ name: s${String(index)}, plugins: *p }`)}\n`;
    assert.match(excess(plugins), /more than 200000 plugins/);
    const consumer = { place: {}, groups: new Set(), consumerGroups: new Set(), credentials: [], tags: [] };
    const acls = Array.from({ length: 1001 }, () => ({
      name: 'acl',
      place: { path: [] },
      config: { raw: {} },
      consumer: null,
    }));
    const reported: string[] = [];
    const problems = { report: (_: unknown, message: string) => reported.push(message) } as unknown as ProblemLog;
    const configuration = {
      plugins: acls,
      consumers: new Array(50_000).fill(consumer),
    } as unknown as KongConfiguration;
    reportExcess(configuration, [], problems);
    assert.match(reported.join(), /too many pairs of plugins and consumers/);
  });
});

describe('a configuration of Kong', () => {
  it('can be JSON, use aliases and plugin configurations of decK, and have empty values', () => {
    const yaml = `_format_version: 3.0
_plugin_configs: { keys: { key_names: [x-key], key_in_query: false, hide_credentials: true } }
services:
  - name: s
    url: http://127.0.0.1
    tags: &tags [a]
    plugins: [{ name: key-auth, _config: keys, config: { hide_credentials: false }, tags: *tags }]
    routes: [{ name: a, paths: [/a], hosts: null, headers: {}, methods: [] }]
consumers: null
plugins: {}
`;
    const fromYaml = importText(yaml);
    assert.deepEqual(fromYaml.endpoints[0]?.['options'], { keyNames: [{ header: 'x-key' }], hideCredentials: false });
    assert.equal(fromYaml.counts.error, 0);
    const json = JSON.stringify({
      _format_version: '3.0',
      services: [{ id: 's1', name: 's' }],
      routes: [{ name: 'a', paths: ['/a'], service: { id: 's1' } }],
      plugins: [{ name: 'key-auth', service: 's1', config: { key_names: ['x-key'], key_in_query: false } }],
    });
    assert.deepEqual(importText(json).endpoints, fromYaml.endpoints);
  });

  it('never makes the importer throw, whatever it holds, and always becomes a document that can be served', async () => {
    const name = fc.constantFrom('a', 'b', 'A b', '\u001b[2J', '\ud800', '日本', '__proto__', 'x'.repeat(300), '');
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        name,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('any'), { maxKeys: 5 }),
      ),
    })).any;
    const texts = fc.array(
      fc.oneof(name, fc.constantFrom('/a', '/', '~/x$', '/a/', 'x.com', '*.x.com', 'GET', '/%zz', '/a//b')),
      { maxLength: 3 },
    );
    const plugin = fc.record(
      {
        name: fc.constantFrom('key-auth', 'hmac-auth', 'oauth2', 'acl', 'rate-limiting', 'cors', 'zzz'),
        config: fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4 }),
      },
      { requiredKeys: ['name'] },
    );
    const route = fc.record(
      { name, hosts: texts, paths: texts, methods: texts, plugins: fc.array(plugin, { maxLength: 3 }) },
      { requiredKeys: [] },
    );
    const consumer = fc.record(
      {
        username: name,
        custom_id: name,
        id: name,
        keyauth_credentials: fc.array(fc.record({ key: name }), { maxLength: 2 }),
        hmacauth_credentials: fc.array(
          fc.record({ username: name, secret: fc.oneof(name, fc.constant('0123456789abcdef')) }),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: [] },
    );
    const file = fc.oneof(
      value,
      fc.record({
        _format_version: fc.constant('3.0'),
        routes: fc.array(route, { maxLength: 4 }),
        consumers: fc.array(consumer, { maxLength: 4 }),
        plugins: fc.array(plugin, { maxLength: 2 }),
      }),
      fc.record(
        {
          _format_version: fc.constant('2.1'),
          services: value,
          routes: value,
          consumers: value,
          plugins: value,
          acls: value,
        },
        { requiredKeys: ['_format_version'] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        const result = importKong({ file: 'k', text: JSON.stringify(content) }, { ...undecided, sharedLimits: 'each' });
        const messages =
          'problems' in result
            ? result.problems.map(({ message }) => message)
            : result.imported.findings.map(({ what, subject }) => `${subject}${what}`);
        for (const message of messages) assert.doesNotMatch(message, /[\p{Cc}\p{Cs}]/u);
        if ('imported' in result)
          for await (const piece of declaredDocument(result.imported, 'yaml')) assert.ok(piece !== '');
      }),
      { numRuns: 100 },
    );
  });

  it('never makes the importer throw: any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        importKong({ file: 'k', text: `_format_version: "3.0"\n${text}` }, undecided);
      }),
    );
  });
});

const keys = [
  ...[
    'name',
    'hosts',
    'paths',
    'methods',
    'plugins',
    'routes',
    'config',
    'service',
    'route',
    'consumer',
    'allow',
    'deny',
  ],
  ...[
    'minute',
    'limit_by',
    'key_names',
    'anonymous',
    'algorithms',
    'clock_skew',
    'enabled',
    'username',
    'key',
    'secret',
  ],
  ...[
    'group',
    'acls',
    'services',
    'consumers',
    '_format_version',
    '__proto__',
    'constructor',
    'id',
    'enable_client_credentials',
  ],
];

describe('the fixed text of a regular expression', () => {
  it('begins every path that matches', () => {
    const piece = fc.constantFrom(
      '/',
      'a',
      'b',
      '.',
      '\\.',
      '\\d',
      '+',
      '*',
      '?',
      '(',
      ')',
      '|',
      '[ab]',
      '[^/]',
      '$',
      '^',
      '{2}',
      '(?:a|b)',
      '-',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.array(fc.constantFrom('/', 'a', 'b', '.', '1', '-'), { maxLength: 8 }),
        (pieces, characters) => {
          const source = `/${pieces.join('')}`;
          let pattern: RegExp;
          try {
            // Alone first: a parenthesis too many would close the group.
            new RegExp(source);
            pattern = new RegExp(`^(?:${source})`);
          } catch {
            return;
          }
          const path = `/${characters.join('')}`;
          const { text, kind } = regexLiteral(source);
          const isMatch = pattern.test(path);
          if (isMatch) assert.ok(path.startsWith(text), `${source} matches ${path}, which does not begin with ${text}`);
          if (kind === 'prefix') assert.equal(isMatch, path.startsWith(text), `${source} ${path}`);
          if (kind === 'exact') assert.equal(isMatch, path === text, `${source} ${path}`);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('unique ids', () => {
  it('are valid, different, and the same in any order', () => {
    const names = fc.uniqueArray(
      fc.constantFrom('a', 'A', 'a b', 'a-b', 'A B', '', '日', '-', 'x'.repeat(70), `${'x'.repeat(70)}y`, 'a-', '7'),
      { maxLength: 10 },
    );
    fc.assert(
      fc.property(names, (list) => {
        const things = list.map((name) => ({ name, identity: name }));
        const ids = uniqueIds(things);
        for (const id of ids) assert.match(id, ID_PATTERN);
        assert.equal(new Set(ids).size, list.length);
        assert.deepEqual(uniqueIds([...things].reverse()), [...ids].reverse());
      }),
    );
  });
});
