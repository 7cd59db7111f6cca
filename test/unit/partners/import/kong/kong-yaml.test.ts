import assert from 'node:assert/strict';
import { kongYaml } from '../../../../../src/partners/import/kong/kong-yaml.ts';
import { endpointOf, importText, problemsOf } from './import-text.ts';

/** A file with one limited route; the limit as it is written there. */
function limitedTo(written: string, rest = ''): string {
  return `_format_version: "3.0"
routes:
  - { name: a, paths: [/a], plugins: [{ name: key-auth }, { name: rate-limiting, config: { minute: ${written} } }] }
${rest}`;
}

function requestsOf(written: string): unknown {
  const { limits } = endpointOf(importText(limitedTo(written)), 'a')['trafficControl'] as {
    readonly limits: readonly { readonly requests: number }[];
  };
  return limits.map(({ requests }) => requests);
}

/** What a route `a` becomes with one more key-auth, as it is written. */
function withKeyAuth(more: string): ReturnType<typeof importText> {
  return importText(
    `_format_version: "3.0"\nroutes: [{ name: a, paths: [/a], plugins: [{ name: key-auth, ${more} }] }]\n`,
  );
}

describe('YAML of Kong, which is YAML 1.1', () => {
  it('has octal numbers, marks between digits, sexagesimal and binary numbers', () => {
    for (const [written, requests] of [
      ['010', 8],
      ['0_10', 8],
      ['09', 9],
      ['1_000', 1000],
      ['1_0.5', 11],
      ['1:30', 90],
      ['1:00:00', 3600],
      ['0x1_0', 16],
      ['0b1_01', 5],
      ['+010', 8],
      ['1e2', 100],
      ['"010"', null],
      ['0o10', null],
      ['010_', null],
      ['0x1.8', null],
      ['.inf', null],
      ['-.INF', null],
      ['.nan', null],
      ['2026-01-01', null],
    ] as const) {
      if (requests !== null) assert.deepEqual(requestsOf(written), [requests], written);
      else
        assert.match(problemsOf(limitedTo(written)).join(), /^3:\d+: "minute" must be a number, as in Kong$/, written);
    }
  });

  it('has true and false in six words each', () => {
    for (const word of ['false', 'no', 'No', 'NO', 'off', 'Off', 'OFF', 'FALSE']) {
      assert.equal(endpointOf(withKeyAuth(`enabled: ${word}`), 'a')['scenario'], 'open', word);
    }
    for (const word of ['true', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', 'TRUE']) {
      assert.equal(endpointOf(withKeyAuth(`enabled: ${word}`), 'a')['authentication'], 'key', word);
    }
    for (const word of ['"no"', 'n', 'y', 'nO', 'tRUE', '0']) {
      const text = `_format_version: "3.0"\nroutes: [{ name: a, paths: [/a], plugins: [{ name: key-auth, enabled: ${word} }] }]\n`;
      assert.match(problemsOf(text).join(), /"enabled" must be true or false, as in Kong$/, word);
    }
    const services = 'services: [{ name: s, enabled: off, routes: [{ name: b, paths: [/b] }] }]\n';
    assert.deepEqual(importText(`_format_version: "3.0"\n${services}`).endpoints, []);
  });

  it('has no text where Kong has none', () => {
    for (const written of ['no', 'on', '010', '1:30', '1_000', '1e3', '.inf']) {
      const text = `_format_version: "3.0"\nconsumers: [{ username: a, acls: [{ group: ${written} }] }]\n`;
      assert.match(problemsOf(text).join(), /2:\d+: "group" must be a text: quote it, as in Kong/, written);
      const inKey = `_format_version: "3.0"\nroutes: [{ name: a, paths: [/a], headers: { ${written}: [x] } }]\n`;
      assert.match(problemsOf(inKey).join(), /^2:\d+: this cannot be a key: a key is a text; quote it$/, written);
    }
    for (const written of ['"no"', "'010'", 'nO', '0o10', '1:a', 'y', '2026-01-01', '0b1']) {
      const text = `_format_version: "3.0"\nconsumers: [{ username: a, custom_id: ${written} }]\n`;
      const { labels } = importText(text).consumers[0] as { readonly labels: Readonly<Record<string, string>> };
      assert.equal(labels['kong-custom-id'], written.replaceAll(/["']/g, ''));
    }
  });

  it('reads what decides when a credential ends, and which route is preferred', () => {
    const credential = '{ key: k, ttl: 010, created_at: 1_700_000_000 }';
    const { consumers } = importText(
      `_format_version: "3.0"\nconsumers: [{ username: a, keyauth_credentials: [${credential}] }]\n`,
    );
    assert.deepEqual(consumers[0]?.['credentials'], [
      { method: 'key', appKey: 'k', expiresAt: '2023-11-14T22:13:28Z' },
    ]);
    const advanced = (limit: string): object =>
      endpointOf(
        importText(limitedTo('1').replace('rate-limiting', 'rate-limiting-advanced').replace('minute: 1', limit)),
        'a',
      );
    const windows = 'window_size: [1:00], window_type: fixed';
    assert.deepEqual((advanced(`limit: [010], ${windows}`) as Readonly<Record<string, unknown>>)['trafficControl'], {
      limits: [{ requests: 8, unit: 'minute', per: 'consumer' }],
    });
    for (const limit of ['.inf', '.nan', '0o10']) {
      assert.equal((advanced(`limit: [${limit}], ${windows}`) as Readonly<Record<string, unknown>>)['enabled'], false);
    }
  });

  it('has line breaks that YAML 1.2 has not: the file is refused', () => {
    for (const [character, name] of [
      ['\u0085', '0085'],
      ['\u2028', '2028'],
      ['\u2029', '2029'],
    ] as const) {
      const plugins = `# see below${character}plugins: [{ name: key-auth }]`;
      assert.deepEqual(problemsOf(`_format_version: "3.0"\n${plugins}\nroutes: [{ name: a, paths: [/a] }]\n`), [
        `2:1: here is U+${name}, which ends a line for Kong but not in YAML 1.2; remove it, or write it in double quotes as "\\u${name}"`,
      ]);
      const escaped = `_format_version: "3.0"\nconsumers: [{ username: "a\\u${name}b" }]\n`;
      assert.equal(importText(escaped).consumers.length, 1);
    }
  });

  it('merges a key "<<" in quotes: the file is refused, as with tags and directives', () => {
    const quoted =
      '_format_version: "3.0"\nroutes: [{ name: a, paths: [/a], headers: { "<<": { b: [x], c: [y] } } }]\n';
    assert.match(problemsOf(quoted).join(), /^2:45: Kong merges what this key holds although it is in quotes/);
    for (const tag of ['!!int "010"', '!!bool "no"', '!!timestamp 2026-01-01', '! 010']) {
      assert.match(problemsOf(limitedTo(tag)).join(), /^3:\d+: tags \(!name\) are not supported/, tag);
    }
    assert.match(problemsOf(`%YAML 1.2\n---\n${limitedTo('010')}`).join(), /^1:1: directives \(lines/);
  });

  it('has a value for every text', () => {
    for (const [text, value] of [
      ['', null],
      ['~', null],
      ['Null', null],
      ['nULL', 'nULL'],
      ['-010', -8],
      ['-1:30', -90],
      ['1:30.5', 90.5],
      ['_1', 1],
      ['.5', 0.5],
      ['1.', 1],
      ['.', '.'],
      ['-', '-'],
      ['1.2.3', '1.2.3'],
      ['e5', 'e5'],
      ['0x', '0x'],
      ['0xg.e', '0xg.e'],
      ['-0xFF', -255],
      ['0b11_', NaN],
      ['1:2:', 62],
      ['10.0.0.1:80', '10.0.0.1:80'],
    ] as const) {
      assert.deepEqual(kongYaml.plainValue(text), value, text);
    }
  });
});
