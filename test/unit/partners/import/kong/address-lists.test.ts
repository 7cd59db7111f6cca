import assert from 'node:assert/strict';
import { parseDocument } from '../../../../../src/resources/parse-document.ts';
import { endpointOf, importText, type Imported, linesOf } from './import-text.ts';

/** A route by key, and a consumer with plugins in YAML's flow style. */
function withPlugins(plugins: string, options: Parameters<typeof importText>[1] = {}): Imported {
  return importText(
    `_format_version: "3.0"
services: [{ name: s, url: http://127.0.0.1, routes: [{ name: a, paths: [/a], plugins: [{ name: key-auth }] }] }]
consumers: [{ username: acme, groups: [{ name: gold }], plugins: [${plugins}] }, { username: globex }]
consumer_groups: [{ name: gold }]
`,
    options,
  );
}

function accessOf({ consumers: [acme] }: Imported): readonly unknown[] {
  return [acme?.['allowFrom'], acme?.['enabled']];
}

describe('ip-restriction of one consumer of Kong', () => {
  it('becomes the networks that the consumer may call from, each once and in one spelling', () => {
    for (const key of ['allow', 'whitelist']) {
      const networks = '[203.0.113.7, 10.1.2.3/8, 10.0.0.0/8, "2001:DB8::1/32"]';
      const imported = withPlugins(`{ name: ip-restriction, config: { ${key}: ${networks} } }`);
      assert.deepEqual(accessOf(imported), [['203.0.113.7', '10.0.0.0/8', '2001:db8::/32'], undefined]);
      assert.deepEqual([imported.counts.error, imported.consumers[1]], [0, { id: 'globex' }]);
      assert.equal(endpointOf(imported, 'a')['enabled'], undefined);
      assert.match(linesOf(imported.findings, 'warning').join('\n'), /compares the address that Kong finds/);
      const document = { file: 'document', text: imported.text };
      assert.ok('content' in parseDocument([document], { isComplete: true, readSecret: () => ({ fault: '' }) }));
    }
  });

  it('says that the answer is another one', () => {
    const imported = withPlugins('{ name: ip-restriction, config: { allow: [10.0.0.0/8], status: 404, message: no } }');
    assert.deepEqual([accessOf(imported)[0], imported.counts.error], [['10.0.0.0/8'], 0]);
    assert.match(
      linesOf(imported.findings, 'warning').join('\n'),
      /answers with a status or message of its own; .* 403/,
    );
  });

  for (const [what, plugins, words] of [
    ['deny', '{ name: ip-restriction, config: { allow: [10.0.0.0/8], deny: [10.0.0.1] } }', 'with "deny"'],
    ['no list', '{ name: ip-restriction }', 'with an "allow" that is not 1 to'],
    ['a placeholder', '{ name: ip-restriction, config: { allow: ["${NETWORK}"] } }', 'with an "allow" that is not'],
    ['one service', '{ name: ip-restriction, service: s, config: { allow: [10.0.0.0/8] } }', 'for some routes'],
    ['one route', '{ name: ip-restriction, route: a, config: { allow: [10.0.0.0/8] } }', 'for some routes'],
    [
      'an unknown setting',
      '{ name: ip-restriction, config: { allow: [10.0.0.1], at: night } }',
      'with the setting "at"',
    ],
    [
      'two lists',
      '{ name: ip-restriction, config: { allow: [10.0.0.1] } }, { name: ip-restriction, route: a, config: { allow: [10.0.0.2] } }',
      'several times',
    ],
  ] as const) {
    it(`disables the consumer, with an error: ${what}`, () => {
      const imported = withPlugins(plugins);
      assert.deepEqual(accessOf(imported), [undefined, false]);
      const errors = linesOf(imported.findings, 'error');
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.ok(errors[0]?.includes(`consumer "acme": has the plugin "ip-restriction" ${words}`), errors[0]);
    });
  }

  it('is left out where its work is done elsewhere', () => {
    const elsewhere = new Set(['ip-restriction']);
    const imported = withPlugins('{ name: ip-restriction, config: { deny: [10.0.0.1] } }', { elsewhere });
    assert.deepEqual([accessOf(imported), imported.counts.error], [[undefined, undefined], 0]);
  });

  it('opens no route that has one for every caller, which closes the endpoint', () => {
    const plugin = '{ name: ip-restriction, config: { allow: [10.0.0.0/8] } }';
    const imported = importText(`_format_version: "3.0"
plugins: [${plugin}]
routes: [{ name: a, paths: [/a], plugins: [{ name: key-auth }] }]
consumers: [{ username: acme, plugins: [${plugin}] }]
`);
    assert.equal(endpointOf(imported, 'a')['enabled'], false);
    assert.deepEqual(accessOf(imported), [['10.0.0.0/8'], undefined]);
  });
});
