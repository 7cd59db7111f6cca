import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'yaml';
import { renderFlow, writeDocument } from '../../../src/resources/write-document.ts';
import type { Declared } from '../../../src/resources/declared.ts';

async function* each(resources: readonly Declared[]): AsyncGenerator<Declared> {
  await Promise.resolve();
  yield* resources;
}

async function written(
  parts: {
    selector?: Readonly<Record<string, string>>;
    comment?: readonly string[];
    endpoints?: Declared[];
    consumers?: Declared[];
    grants?: Declared[];
    plans?: Declared[];
    issuers?: Declared[];
  },
  format: 'yaml' | 'json' = 'yaml',
): Promise<string> {
  const { selector, comment = [], endpoints = [], consumers = [], grants = [], plans = [], issuers = [] } = parts;
  let text = '';
  const document = {
    ...{ selector, comment, endpoints: each(endpoints), consumers: each(consumers) },
    ...{ grants: each(grants), plans: each(plans), issuers: each(issuers) },
  };
  for await (const piece of writeDocument(document, format)) text += piece;
  return text;
}

const example = {
  comment: ['Made by a test.'],
  plans: [{ id: 'gold', consumerSelector: { tier: 'gold' }, limits: [{ requests: 5, unit: 'month' }] }],
  endpoints: [
    {
      id: 'orders',
      description: 'Orders: all',
      match: { hosts: ['*.example.com'], paths: [{ prefix: '/orders' }], methods: ['GET', 'POST'] },
      trafficControl: { limits: [{ requests: 100, unit: 'minute', per: 'consumer' }] },
      enabled: false,
    },
  ],
  consumers: [
    {
      id: 'acme',
      labels: { tier: 'gold', no: '12' },
      credentials: [
        { id: 'acme-hmac', method: 'hmac', expiresAt: '2027-01-01T00:00:00Z' },
        { id: 'acme-key', methods: ['key', 'hmac'] },
      ],
    },
  ],
  grants: [{ endpoint: 'orders', consumer: 'acme', limits: [] }],
};

describe('writing declarative documents', () => {
  it('writes YAML as people would', async () => {
    assert.equal(
      await written(example),
      `# Made by a test.
version: 1
endpoints:
  - id: orders
    description: "Orders: all"
    match:
      hosts: ["*.example.com"]
      paths: [{ prefix: /orders }]
      methods: [GET, POST]
    trafficControl:
      limits: [{ requests: 100, unit: minute, per: consumer }]
    enabled: false
consumers:
  - id: acme
    labels:
      tier: gold
      "no": "12"
    credentials:
      - id: acme-hmac
        method: hmac
        expiresAt: 2027-01-01T00:00:00Z
      - id: acme-key
        methods: [key, hmac]
grants:
  - { endpoint: orders, consumer: acme, limits: [] }
plans:
  - id: gold
    consumerSelector:
      tier: gold
    limits: [{ requests: 5, unit: month }]
`,
    );
  });

  it('writes the labels of a selector by name, in whatever order they were given', async () => {
    const selector = { team: 'a', region: 'eu' };
    assert.match(await written({ selector }), /^selector: \{ region: eu, team: a \}$/m);
    assert.match(await written({ selector }, 'json'), /"selector": \{"region":"eu","team":"a"\}/);
  });

  it('writes JSON, a resource a line', async () => {
    const { endpoints, consumers, grants, plans } = example;
    const text = await written(example, 'json');
    assert.deepEqual(JSON.parse(text), { version: 1, endpoints, consumers, grants, plans });
    assert.equal(text.split('\n').length, 16);
  });

  it('writes what has nothing in it', async () => {
    assert.equal(await written({}), 'version: 1\n');
    assert.deepEqual(JSON.parse(await written({}, 'json')), { version: 1, endpoints: [], consumers: [], grants: [] });
  });

  it('breaks long lists into lines', async () => {
    const hosts = Array.from({ length: 20 }, (_, index) => `host-${String(index)}.example.com`);
    const text = await written({ endpoints: [{ id: 'e', match: { hosts } }] });
    assert.match(text, /hosts:\n {8}- host-0\.example\.com\n/);
    assert.deepEqual((parse(text) as { endpoints: unknown }).endpoints, [{ id: 'e', match: { hosts } }]);
  });

  it('is read back as it was, whatever the texts', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        '',
        ' ',
        'no',
        '~',
        '0x1f',
        '1e3',
        '.inf',
        '- a',
        'a: b',
        'a #b',
        '*a',
        '&a',
        '!a',
        '%a',
        '@a',
        '`',
        '2026-01-01',
        'a\nb',
        '\ufeff',
        '\u2028',
        '"',
        "'",
        '{a}',
        '[a]',
        'a,b',
        '? a',
        '| a',
        '> a',
        '---',
        '...',
        '\u0085',
        '\u007f',
      ),
    );
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.boolean(),
        fc.nat(),
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(value, (given) => {
        const plain: unknown = JSON.parse(JSON.stringify(given));
        for (const version of ['1.1', '1.2'] as const) {
          assert.deepEqual(JSON.parse(JSON.stringify(parse(`a: ${renderFlow(plain)}`, { version, merge: false }))), {
            a: plain,
          });
        }
      }),
    );
  });

  it('is read back as it was, in blocks', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
    const mapping = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 30 }), fc.dictionary(text, text)), {
      minKeys: 1,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(mapping), async (given) => {
        const consumers = JSON.parse(JSON.stringify(given)) as Declared[];
        const read = parse(await written({ consumers })) as { consumers?: unknown };
        assert.deepEqual(JSON.parse(JSON.stringify(read.consumers ?? [])), consumers);
      }),
    );
  });
});
