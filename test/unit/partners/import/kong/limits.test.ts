import assert from 'node:assert/strict';
import { endpointOf, importText, linesOf } from './import-text.ts';

type Options = Parameters<typeof importText>[1];

function limited(config: string, options: Options = {}, name = 'rate-limiting'): ReturnType<typeof importText> {
  return importText(
    `_format_version: "3.0"\nroutes:\n  - { name: a, paths: [/a], plugins: [{ name: key-auth }, { name: ${name}, config: ${config} }] }\n`,
    options,
  );
}

const limitsOf = (imported: ReturnType<typeof importText>, id = 'a'): unknown =>
  endpointOf(imported, id)['trafficControl'];

describe('rate-limiting of Kong', () => {
  it('becomes limits of the same windows', () => {
    assert.deepEqual(limitsOf(limited('{ day: 1000, second: 5, minute: 100.5, fault_tolerant: false }')), {
      limits: [
        { requests: 5, unit: 'second', per: 'consumer' },
        { requests: 101, unit: 'minute', per: 'consumer' },
        { requests: 1000, unit: 'day', per: 'consumer' },
      ],
    });
    const { onLimiterFailure } = endpointOf(limited('{ second: 1, fault_tolerant: false }'), 'a')['options'] as Record<
      string,
      unknown
    >;
    assert.equal(onLimiterFailure, 'deny');
  });

  it('of a service counts all callers together', () => {
    const plugins = '[{ name: rate-limiting, config: { hour: 7, limit_by: service } }]';
    const imported = importText(
      `_format_version: "3.0"\nplugins: ${plugins}\nservices:\n  - { name: s, routes: [{ name: a, paths: [/a] }] }\n  - { name: t, routes: [{ name: b, paths: [/b] }, { name: c, paths: [/c] }] }\n`,
    );
    assert.deepEqual(limitsOf(imported), { limits: [{ requests: 7, unit: 'hour', per: 'endpoint' }] });
    assert.equal(endpointOf(imported, 'a')['scenario'], 'open');
    assert.match(linesOf(imported.findings, 'error').join('\n'), /has one count for 2 routes/);
    assert.equal(endpointOf(imported, 'b')['enabled'], false);
  });

  it('of a year becomes a share for a month that never adds up to more, which is reported', () => {
    const imported = limited('{ month: 3100, day: 200, year: 3660 }');
    const limits = [
      { requests: 200, unit: 'day', per: 'consumer' },
      { requests: 305, unit: 'month', per: 'consumer' },
    ];
    assert.deepEqual(limitsOf(imported), { limits });
    assert.match(linesOf(imported.findings, 'warning').join('\n'), /3660 requests a year; .* they became 305 a month/);
  });

  for (const [what, config] of [
    ['by address', '{ second: 5, limit_by: ip }'],
    ['by header', '{ second: 5, limit_by: header, header_name: x }'],
    ['by an unknown key', '{ second: 5, limit_by: moon }'],
    ['of a year, too small for a month', '{ year: 11 }'],
    ['of nothing', '{}'],
    ['by service, on a route without', '{ second: 5, limit_by: service }'],
    ['with a setting that is not known', '{ second: 5, only_on_sundays: true }'],
  ] as const) {
    it(`makes the endpoint refuse everything: ${what}`, () => {
      const imported = limited(config);
      assert.deepEqual([endpointOf(imported, 'a')['enabled'], limitsOf(imported)], [false, undefined]);
      assert.equal(imported.counts.error, 1);
      const elsewhere = limited(config, { elsewhere: new Set(['rate-limiting']) });
      assert.deepEqual([endpointOf(elsewhere, 'a')['enabled'], elsewhere.counts.error], [undefined, 0]);
    });
  }

  it('on an open route counts addresses in Kong, and makes the endpoint refuse everything', () => {
    const imported = importText(
      '_format_version: "3.0"\nroutes:\n  - { name: a, paths: [/a], plugins: [{ name: rate-limiting, config: { second: 1 } }] }\n',
    );
    assert.equal(endpointOf(imported, 'a')['enabled'], false);
    assert.match(
      linesOf(imported.findings, 'error').join('\n'),
      /counts addresses where callers are not authenticated/,
    );
  });
});

describe('a limit that several routes share', () => {
  const shared = (options: Options): ReturnType<typeof importText> =>
    importText(
      `_format_version: "3.0"
services:
  - name: s
    plugins: [{ name: key-auth }, { name: rate-limiting, config: { minute: 11, hour: 100 } }]
    routes: [{ name: a, paths: [/a] }, { name: b, paths: [/b] }, { name: c, paths: [/c], plugins: [{ name: rate-limiting, config: { day: 1 } }] }]
`,
      options,
    );

  it('needs a decision: until then its endpoints refuse everything', () => {
    const imported = shared({});
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => endpointOf(imported, id)['enabled']),
      [false, false, undefined],
    );
    assert.match(linesOf(imported.findings, 'error').join('\n'), /has one count for 2 routes/);
    assert.equal(imported.counts.error, 1);
  });

  it('is given to each of them, or divided', () => {
    const limits = (how: 'each' | 'divide'): unknown => limitsOf(shared({ sharedLimits: how }));
    const both = (minute: number, hour: number): object => ({
      limits: [
        { requests: minute, unit: 'minute', per: 'consumer' },
        { requests: hour, unit: 'hour', per: 'consumer' },
      ],
    });
    assert.deepEqual([limits('each'), limits('divide')], [both(11, 100), both(5, 50)]);
    assert.equal(shared({ sharedLimits: 'divide' }).counts.error, 0);
  });

  it('of one for two routes cannot be divided', () => {
    const imported = importText(
      '_format_version: "3.0"\nplugins: [{ name: key-auth }, { name: rate-limiting, config: { day: 1 } }]\nroutes: [{ name: a, paths: [/a] }, { name: b, paths: [/b] }]\n',
      { sharedLimits: 'divide' },
    );
    assert.equal(endpointOf(imported, 'a')['enabled'], false);
  });
});

describe('a limit of one consumer', () => {
  const text = (scope: string): string => `_format_version: "3.0"
routes:
  - { name: a, paths: [/a], plugins: [{ name: key-auth }, { name: rate-limiting, config: { minute: 5 } }] }
consumers: [{ username: vip, plugins: [{ name: rate-limiting, ${scope} config: { minute: 50 } }] }, { username: other }]
`;

  it('becomes a grant with limits', () => {
    assert.deepEqual(importText(text('route: a,')).grants, [
      { endpoint: 'a', consumer: 'vip', limits: [{ requests: 50, unit: 'minute', per: 'consumer' }] },
    ]);
    assert.equal(importText(text('')).grants.length, 1);
  });

  it('for which Postern does not supporthing disables the consumer', () => {
    const imported = importText(text('route: a,').replace('minute: 50', 'minute: 50, limit_by: ip'));
    assert.deepEqual(imported.consumers[0]?.['enabled'], false);
    assert.equal(imported.counts.error, 1);
  });
});

describe('rate-limiting-advanced of Kong', () => {
  it('becomes limits where its windows are fixed', () => {
    const imported = limited(
      '{ limit: [5, 100], window_size: [1, 3600], window_type: fixed }',
      {},
      'rate-limiting-advanced',
    );
    assert.deepEqual(limitsOf(imported), {
      limits: [
        { requests: 5, unit: 'second', per: 'consumer' },
        { requests: 100, unit: 'hour', per: 'consumer' },
      ],
    });
  });

  it('makes the endpoint refuse everything otherwise', () => {
    for (const config of [
      '{ limit: [5], window_size: [60] }',
      '{ limit: [5], window_size: [90], window_type: fixed }',
      '{ limit: [5], window_size: [60], window_type: fixed, identifier: ip }',
      '{ limit: [5, 6], window_size: [60], window_type: fixed }',
      '{ limit: [5], window_size: [60], window_type: fixed, enforce_consumer_groups: true }',
      '{ limit: [5], window_size: [60], window_type: fixed, only_on_sundays: true }',
    ]) {
      const imported = limited(config, {}, 'rate-limiting-advanced');
      assert.deepEqual([endpointOf(imported, 'a')['enabled'], imported.counts.error], [false, 1], config);
    }
  });
});
