import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isGroupGrant } from '../../../../../src/model/grant.ts';
import { parseDocument } from '../../../../../src/resources/parse-document.ts';
import { compileEndpointTable } from '../../../../../src/check/route/endpoint-table.ts';
import { importKong } from '../../../../../src/partners/import/kong/import-kong.ts';
import { importText, undecided } from './import-text.ts';
import { type ModelAccess, type ModelRequest, type ModelRoute, pluginsOf, winnersOf } from './kong-model.ts';

const paths = [
  '/',
  '/a',
  '/a/',
  '/a/b',
  '/ab',
  '/ab/c',
  '/a/b/',
  '/b',
  '~/a/\\d+',
  '~/a$',
  '~/(a|b)/x',
  '~/b/x$|/a',
  '~/ab?c',
];
/** Conditions that are alike are what makes routes compete. */
function mostlyNone(names: string[]): fc.Arbitrary<string[]> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.subarray(names, { maxLength: 2 }) },
  );
}

const route: fc.Arbitrary<ModelRoute> = fc.record(
  {
    hosts: mostlyNone(['x.com', 'a.x.com', '*.x.com', 'x.*', '*.a.x.com']),
    paths: fc.subarray(paths, { maxLength: 3 }),
    methods: mostlyNone(['GET', 'POST']),
    headers: fc.constantFrom<Readonly<Record<string, readonly string[]>>>({}, {}, {}, { 'x-version': ['2'] }),
    regex_priority: fc.constantFrom(0, 0, 5),
    access: fc.constantFrom<ModelAccess>('open', 'open', 'key', 'key', 'hmac', 'key-group', 'jwt', 'ip', 'both'),
  },
  { requiredKeys: ['hosts', 'paths', 'methods', 'access'] },
);
/** Kong has no route without. */
function hasCondition({ hosts, paths: own, methods, headers = {} }: ModelRoute): boolean {
  return hosts.length + own.length + methods.length + Object.keys(headers).length > 0;
}

const request: fc.Arbitrary<ModelRequest> = fc.record({
  host: fc.constantFrom('x.com', 'a.x.com', 'b.a.x.com', 'x.org', 'y.com'),
  path: fc.constantFrom(
    '/',
    '/a',
    '/a/',
    '/a2',
    '/a/b',
    '/a/b/',
    '/a/b2',
    '/a/7',
    '/ab',
    '/abc',
    '/ab/c',
    '/b',
    '/b/x',
    '/a/x',
    '/c',
    '/ac',
  ),
  method: fc.constantFrom('GET', 'POST', 'PUT'),
  hasHeader: fc.boolean(),
});

/** What an access lets in, from no caller to every caller. */
const callers: Readonly<Record<ModelAccess, readonly string[]>> = {
  open: ['nobody', 'gold by key', 'silver by key', 'gold by hmac'],
  key: ['gold by key', 'silver by key'],
  hmac: ['gold by hmac'],
  'key-group': ['gold by key'],
  jwt: [],
  ip: [],
  both: [],
};

/** The callers that Postern lets in with the imported document, by what is asked. */
function lettingIn(text: string): (asked: ModelRequest) => readonly string[] {
  const parsed = parseDocument([{ file: 'document', text }], {
    isComplete: true,
    readSecret: () => ({ fault: 'none' }),
  });
  assert.ok('content' in parsed, JSON.stringify(parsed));
  const { endpoints, grants } = parsed.content;
  const table = compileEndpointTable(endpoints);
  return (asked) => {
    const endpoint = table.find(asked.host, asked.path, asked.method);
    if (endpoint?.enabled !== true) return [];
    if (endpoint.scenario === 'open') return callers.open;
    const granted = grants.flatMap((grant) =>
      grant.endpointId === endpoint.id && !isGroupGrant(grant) ? [grant.consumerId] : [],
    );
    return [
      { consumer: 'gold', method: 'key' },
      { consumer: 'silver', method: 'key' },
      { consumer: 'gold', method: 'hmac' },
    ].flatMap(({ consumer, method }) =>
      endpoint.authentication === method && (endpoint.accessCondition === 'authenticated' || granted.includes(consumer))
        ? `${consumer} by ${method}`
        : [],
    );
  };
}

/** Kong's `/a` takes `/ab` and has a host, so Kong prefers it; an endpoint `/a` takes only whole segments. */
const withinSegment: [ModelRoute[], ModelRequest[], boolean] = [
  [
    { hosts: [], paths: ['/ab'], methods: [], access: 'open' },
    { hosts: ['a.x.com'], paths: ['/a'], methods: [], access: 'key-group' },
  ],
  [{ host: 'a.x.com', path: '/ab', method: 'GET', hasHeader: false }],
  false,
];

describe('an imported document', () => {
  it('lets no caller in that Kong keeps out, whatever routes there are and whatever is asked', () => {
    fc.assert(
      fc.property(
        fc.array(route.filter(hasCondition), { minLength: 1, maxLength: 5 }),
        fc.array(request, { minLength: 10, maxLength: 30 }),
        fc.boolean(),
        (routes, requests, isNested) => {
          const written = routes.map(({ access, ...rest }, index) => ({
            name: `r${String(index)}`,
            ...rest,
            ...(isNested ? {} : { plugins: pluginsOf(access) }),
          }));
          const services = routes.map(({ access }, index) => ({
            name: `s${String(index)}`,
            url: 'http://127.0.0.1',
            plugins: pluginsOf(access),
            routes: [written[index]],
          }));
          const text = importText({
            _format_version: '3.0',
            ...(isNested ? { services } : { routes: written }),
            consumers: [
              { username: 'gold', acls: [{ group: 'gold' }] },
              { username: 'silver', acls: [{ group: 'silver' }] },
            ],
          }).text;
          const letInBy = lettingIn(text);
          for (const asked of requests) {
            const winners = winnersOf(routes, asked);
            const letIn = letInBy(asked);
            // A path of Kong that ends with a slash does not take the path without it; that of an endpoint does, which
            // is reported.
            const isKnown = winners.length === 0 && routes.some(({ paths: own }) => own.includes(`${asked.path}/`));
            if (isKnown) continue;
            if (winners.length === 0) assert.deepEqual(letIn, [], JSON.stringify(asked));
            for (const { access } of winners) {
              const excess = letIn.filter((caller) => !callers[access].includes(caller));
              assert.deepEqual(excess, [], `${JSON.stringify(asked)} in Kong: ${access}`);
            }
          }
        },
      ),
      { numRuns: Number(process.env['KONG_RUNS'] ?? 100), examples: [withinSegment] },
    );
  });

  it('lets no caller in that Kong keeps out, whatever of a route is not filled in, misspelt or unknown', () => {
    const hide = fc.constantFrom(
      ...['plugins', 'paths', 'hosts', 'methods', 'headers', 'regex_priority'].flatMap((key) =>
        (['misspelt', 'placeholder', 'prefix'] as const).map((how) => ({ key, how })),
      ),
    );
    const list = fc.array(route.filter(hasCondition), { minLength: 2, maxLength: 4 });
    const asked = fc.array(request, { minLength: 10, maxLength: 20 });
    fc.assert(
      fc.property(
        list,
        asked,
        hide,
        fc.nat(3),
        fc.constantFrom('${A}', '$A', '{{ a }}'),
        (routes, requests, ...rest) => {
          const [{ key, how }, number, placeholder] = rest;
          const written = routes.map(({ access, ...match }, index): Record<string, unknown> => {
            return { name: `r${String(index)}`, ...match, plugins: pluginsOf(access) };
          });
          const hidden = written[number % written.length] ?? {};
          const value = hidden[key];
          if (how === 'misspelt') {
            Reflect.deleteProperty(hidden, key);
            hidden[`${key}x`] = value ?? [];
          } else if (how === 'placeholder') {
            hidden[key] = key === 'headers' ? { 'x-version': [placeholder] } : [placeholder];
          } else if (Array.isArray(value)) {
            hidden[key] = value.map((item: unknown) => (typeof item === 'string' ? item + placeholder : item));
          }
          const consumers = ['gold', 'silver'].map((username) => ({ username, acls: [{ group: username }] }));
          const file = JSON.stringify({ _format_version: '3.0', routes: written, consumers });
          const result = importKong({ file: 'kong.yaml', text: file }, undecided);
          if ('problems' in result) return;
          const { endpoints, grants } = result.imported;
          const letInBy = lettingIn(
            JSON.stringify({ version: 1, endpoints, consumers: result.imported.consumers, grants }),
          );
          for (const each of requests) {
            const winners = winnersOf(routes, each);
            if (winners.length === 0) continue;
            for (const { access } of winners) {
              const excess = letInBy(each).filter((caller) => !callers[access].includes(caller));
              assert.deepEqual(excess, [], `${JSON.stringify(each)} in Kong: ${access}, with ${file}`);
            }
          }
        },
      ),
      { numRuns: Number(process.env['KONG_RUNS'] ?? 150) },
    );
  });

  it('reports every request that passes in Kong and finds no endpoint here', () => {
    const plain: fc.Arbitrary<ModelRoute> = fc.record({
      hosts: mostlyNone(['x.com', '*.x.com']),
      paths: fc.subarray(['/', '/a', '/a/b', '/b'], { minLength: 1, maxLength: 2 }),
      methods: mostlyNone(['GET', 'POST']),
      access: fc.constantFrom<ModelAccess>('open', 'key'),
    });
    let missing = 0;
    fc.assert(
      fc.property(
        fc.array(plain, { minLength: 1, maxLength: 5 }),
        fc.array(request, { minLength: 10, maxLength: 30 }),
        (routes, requests) => {
          const { text, findings, counts } = importText(
            {
              _format_version: '3.0',
              routes: routes.map(({ access, ...rest }, index) => ({
                name: `r${String(index)}`,
                ...rest,
                plugins: pluginsOf(access),
              })),
            },
            { wholeSegments: true },
          );
          // What was left out is reported already.
          if (counts.error > 0) return;
          const parsed = parseDocument([{ file: 'document', text }], {
            isComplete: true,
            readSecret: () => ({ fault: 'none' }),
          });
          assert.ok('content' in parsed);
          const table = compileEndpointTable(parsed.content.endpoints);
          for (const asked of requests) {
            const isWithinSegment = !['/', '/a', '/a/', '/a/b', '/a/b/', '/a/7', '/a/x', '/b', '/b/x'].includes(
              asked.path,
            );
            if (isWithinSegment || winnersOf(routes, asked).length === 0) continue;
            if (table.find(asked.host, asked.path, asked.method) !== null) continue;
            missing += 1;
            assert.ok(
              findings.some(({ what }) => what.includes('but Postern answers 404')),
              JSON.stringify(asked),
            );
          }
        },
      ),
      { numRuns: 400 },
    );
    assert.ok(missing > 5, String(missing));
  });
});
