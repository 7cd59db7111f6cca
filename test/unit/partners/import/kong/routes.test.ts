import assert from 'node:assert/strict';
import { endpointOf, fromYaml, importText, linesOf } from './import-text.ts';

const file = (routes: string): string => `_format_version: "3.0"\nroutes:\n${routes}`;

/** What the endpoint of the one route `a` matches. */
function matchOf(route: string, version = '3.0'): unknown {
  const imported = importText(`_format_version: "${version}"\nroutes:\n  - { name: a, ${route} }\n`);
  return endpointOf(imported, 'a')['match'];
}

describe('the match of an imported route', () => {
  it('has hosts, prefixes and methods', () => {
    assert.deepEqual(
      matchOf('hosts: [API.example.com, "*.example.org"], paths: [/orders, "/caf%C3%A9/"], methods: [GET, POST]'),
      {
        hosts: ['api.example.com', '*.example.org'],
        paths: [{ prefix: '/orders' }, { prefix: '/caf%C3%A9/' }],
        methods: ['GET', 'POST'],
      },
    );
  });

  it('reports that a prefix with a slash at its end takes the path without it, too', () => {
    const warnings = (path: string): readonly string[] =>
      linesOf(importText(file(`  - { name: a, paths: ["${path}"] }\n`)).findings, 'warning');
    assert.deepEqual(warnings('/orders/'), [
      'warning 3: route "a": has a path that ends with "/": the endpoint takes the path without it too, which Kong gives to no route or to another one',
    ]);
    assert.deepEqual(warnings('/orders'), []);
    assert.deepEqual(warnings('/'), []);
  });

  it('takes every path when the route has none', () => {
    assert.deepEqual(matchOf('hosts: [x.com]'), { hosts: ['x.com'], paths: [{ prefix: '/' }] });
  });

  it('has what regular expressions say in plain words', () => {
    assert.deepEqual(matchOf(String.raw`paths: ['~/status$', '~/v1\.0/orders']`), {
      paths: [{ exact: '/status' }, { prefix: '/v1.0/orders' }],
    });
  });

  it('takes unmarked paths for regular expressions before format 3.0, where they hold more than plain characters', () => {
    assert.deepEqual(matchOf(String.raw`paths: ['/status$', /orders]`, '2.1'), {
      paths: [{ exact: '/status' }, { prefix: '/orders' }],
    });
    assert.deepEqual(linesOf(importText(file('  - { name: a, paths: [/status$] }\n')).findings, 'error'), []);
  });

  for (const [what, condition, message] of [
    ['headers', 'headers: { x-version: ["2"] }', 'is chosen by "headers" too'],
    ['SNI', 'snis: [x.com]', 'is chosen by "snis" too'],
    ['an expression', 'expression: http.path == "/a"', 'is chosen by "expression" too'],
  ] as const) {
    it(`is left out with an error when the route is chosen by ${what}`, () => {
      const { endpoints, findings } = importText(file(`  - { name: a, paths: [/a], ${condition} }\n`));
      assert.deepEqual(endpoints, []);
      assert.ok(
        linesOf(findings, 'error').some((text) => text.includes(message)),
        linesOf(findings).join('\n'),
      );
    });
  }

  for (const [what, condition] of [
    ['hosts: ["x.*"]', 'has the host "x.*"'],
    ['hosts: ["x.com:8443"]', 'has the host "x.com:8443"'],
    [
      "paths: ['~/users/\\d+']",
      'has the path "~/users/\\\\d+", which endpoints cannot have (it is a regular expression)',
    ],
    ['paths: ["/a;b"]', 'has the path "/a;b", which endpoints cannot have'],
    ['methods: ["GE T"]', 'is no HTTP method'],
  ] as const) {
    it(`is left out with an error: ${what}`, () => {
      const { endpoints, findings } = importText(file(`  - { name: a, ${what} }\n`));
      assert.deepEqual(endpoints, []);
      assert.ok(
        linesOf(findings, 'error').some((text) => text.includes(condition)),
        linesOf(findings).join('\n'),
      );
    });
  }

  it('is left out with a note when Kong does not serve the route by HTTP', () => {
    const imported = importText(
      fromYaml(`
      _format_version: "3.0"
      services:
        - { name: off, enabled: false, routes: [{ name: a, paths: [/a] }] }
        - { name: stream, routes: [{ name: b, protocols: [tcp], destinations: [{ port: 9 }] }] }
    `) as object,
    );
    assert.deepEqual(imported.endpoints, []);
    assert.equal(imported.counts.error, 0);
    const notes = linesOf(imported.findings, 'note').filter((text) => text.includes(': route "'));
    assert.equal(notes.length, 2);
  });
});

describe('how Kong passes requests on', () => {
  function toldOf(...routes: readonly string[]): readonly string[] {
    const text = `_format_version: "3.0"\nservices:\n  - name: s\n    routes:\n${routes
      .map((route, index) => `      - { name: r${String(index)}, paths: [/p${String(index)}], ${route} }\n`)
      .join('')}`;
    return importText(text)
      .findings.filter(({ subject }) => /^(?:where requests go|WebSocket|gRPC|HTTPS)$/.test(subject))
      .map(({ level, what }) => `${level}: ${what}`);
  }

  it('is told once, where Envoy does otherwise', () => {
    const plain = 'strip_path: false, preserve_host: true';
    assert.deepEqual(toldOf(plain, `${plain}, protocols: [http, https], request_buffering: true`), []);
    assert.deepEqual(toldOf('strip_path: false', 'strip_path: false, preserve_host: false', plain), [
      'note: 2 routes without preserve_host: Kong sends the back end’s own Host, Envoy the caller’s',
    ]);
    assert.deepEqual(toldOf(`${plain}, request_buffering: false`), [
      'warning: request_buffering: false of 1 route was left out: Envoy holds the whole body, and answers 413 above 10 MiB',
    ]);
    for (const protocol of ['ws', 'wss']) {
      assert.deepEqual(toldOf(`${plain}, protocols: [http, ${protocol}]`), [
        'warning: some routes are for WebSocket (ws, wss), which Envoy answers with 403 unless it is configured',
      ]);
    }
    for (const protocol of ['grpc', 'grpcs']) {
      assert.deepEqual(toldOf(`${plain}, protocols: [${protocol}]`), [
        'warning: some routes are for gRPC (grpc, grpcs): Envoy speaks HTTP/1.1 to back ends, and holds streams of callers, unless it is configured',
      ]);
    }
  });

  it('is not told of routes that Kong does not serve by HTTP', () => {
    assert.deepEqual(toldOf('protocols: [tcp], request_buffering: false'), []);
  });
});

describe('an endpoint that would take requests of a stricter route', () => {
  it('refuses everything: Kong’s prefixes take "/orders2" too', () => {
    const text = file(
      '  - { name: all, paths: [/] }\n  - { name: orders, paths: [/orders], plugins: [{ name: key-auth }] }\n',
    );
    const imported = importText(text);
    assert.deepEqual(
      [endpointOf(imported, 'all')['enabled'], endpointOf(imported, 'all')['accessCondition']],
      [false, 'authenticated-and-authorized'],
    );
    assert.equal(endpointOf(imported, 'orders')['enabled'], undefined);
    assert.match(linesOf(imported.findings, 'error').join('\n'), /^error 3: route "all": would take "\/orders2"/);
  });

  it('stays open when no back end has such paths', () => {
    const text = file(
      '  - { name: all, paths: [/] }\n  - { name: orders, paths: [/orders], plugins: [{ name: key-auth }] }\n',
    );
    const imported = importText(text, { wholeSegments: true });
    assert.deepEqual([endpointOf(imported, 'all')['scenario'], imported.counts.error], ['open', 0]);
  });

  it('stays open when the path without the slash may be decided like what is below', () => {
    const text = file(
      '  - { name: all, paths: [/], plugins: [{ name: key-auth }] }\n  - { name: public, paths: [/public/] }\n',
    );
    const closed = importText(text);
    assert.equal(endpointOf(closed, 'public')['enabled'], false);
    assert.match(
      closed.findings.find(({ level }) => level === 'error')?.instead ?? '',
      /import again with --slash-optional$/,
    );
    const imported = importText(text, { slashOptional: true });
    assert.deepEqual([endpointOf(imported, 'public')['scenario'], imported.counts.error], ['open', 0]);
  });

  it('stays open when access is the same, or a third endpoint as strict lies between', () => {
    const key = 'plugins: [{ name: key-auth }]';
    const imported = importText(
      file(
        `  - { name: all, paths: [/] }\n  - { name: api, paths: [/api/], ${key} }\n  - { name: orders, paths: [/api/orders], ${key} }\n  - { name: users, paths: ['~/api/u\\d+'], ${key} }\n`,
      ),
    );
    assert.equal(endpointOf(imported, 'all')['scenario'], 'open');
  });

  it('refuses everything: a regular expression that no endpoint has', () => {
    const imported = importText(
      file(
        "  - { name: all, paths: [/] }\n  - { name: users, paths: ['~/users/\\d+'], plugins: [{ name: key-auth }] }\n",
      ),
    );
    assert.equal(endpointOf(imported, 'all')['enabled'], false);
    assert.match(linesOf(imported.findings, 'error').join('\n'), /route "all": would take requests below "\/users\/"/);
  });

  it('is reported where only limits differ', () => {
    const limited = (minute: number): string =>
      `plugins: [{ name: key-auth }, { name: rate-limiting, config: { minute: ${String(minute)} } }]`;
    const text = (all: number, orders: number): string =>
      file(
        `  - { name: all, paths: [/], ${limited(all)} }\n  - { name: orders, paths: [/orders], ${limited(orders)} }\n`,
      );
    const imported = importText(text(9, 5));
    assert.equal(endpointOf(imported, 'all')['enabled'], undefined);
    assert.match(
      linesOf(imported.findings, 'warning').join('\n'),
      /route "all": would take "\/orders2" .* which has other limits/,
    );
    assert.equal(
      linesOf(importText(text(5, 5)).findings, 'warning').some((line) => line.includes('other limits')),
      false,
    );
  });

  it('refuses everything: Kong counts conditions before it looks at paths', () => {
    const imported = importText(
      file(
        '  - { name: a, paths: [/a], methods: [GET], plugins: [{ name: key-auth }] }\n  - { name: ab, paths: [/a/b] }\n',
      ),
    );
    assert.equal(endpointOf(imported, 'ab')['enabled'], false);
  });

  it('refuses everything: a prefix with a slash at its end, which is one without here', () => {
    const imported = importText(
      file('  - { name: a, paths: [/], plugins: [{ name: key-auth }] }\n  - { name: b, paths: [/b/] }\n'),
    );
    assert.match(linesOf(imported.findings, 'error').join('\n'), /route "b": would take "\/b" too/);
    assert.equal(endpointOf(imported, 'b')['enabled'], false);
  });

  it('loses a path that another one has, to the one that Kong prefers', () => {
    const imported = importText(
      file(
        '  - { name: a, paths: [/a, /x], methods: [GET, POST] }\n  - { name: b, paths: [/a], methods: [GET], plugins: [{ name: key-auth }] }\n',
      ),
    );
    assert.deepEqual(endpointOf(imported, 'a')['match'], { paths: [{ prefix: '/x' }], methods: ['GET', 'POST'] });
    assert.deepEqual(endpointOf(imported, 'b')['match'], { paths: [{ prefix: '/a' }], methods: ['GET'] });
    assert.match(
      linesOf(imported.findings, 'error').join('\n'),
      /takes the same requests below "\/a" as the route "b"/,
    );
  });
});

describe('the ids of imported endpoints', () => {
  it('are the names of routes, or made of service and path; they stay when the order changes', () => {
    const routes = [
      { name: 'Orders API', paths: ['/1'] },
      { name: 'orders-api', paths: ['/2'] },
      { name: 'orders api', paths: ['/3'] },
      { paths: ['/4/x'] },
      { paths: ['/4/x'], methods: ['GET'] },
      { name: '日本', paths: ['/6'] },
    ];
    const idsOf = (list: readonly object[]): ReadonlyMap<string, unknown> => {
      const { endpoints } = importText({ _format_version: '3.0', routes: list });
      return new Map(endpoints.map(({ id, match }) => [JSON.stringify(match), id]));
    };
    const ids = idsOf(routes);
    assert.equal(new Set(ids.values()).size, 6);
    assert.equal(ids.get('{"paths":[{"prefix":"/2"}]}'), 'orders-api');
    assert.match(String(ids.get('{"paths":[{"prefix":"/1"}]}')), /^orders-api-[0-9a-f]{8}$/);
    const reversed = idsOf([...routes].reverse());
    for (const [match, id] of ids) assert.equal(reversed.get(match), id, match);
  });
});

describe('requests that pass in Kong and are 404 here', () => {
  const notFound = (routes: string, options = {}): readonly string[] =>
    importText(file(routes), { wholeSegments: true, ...options }).findings.flatMap(({ what }) =>
      what.includes('404') ? [what] : [],
    );

  it('are reported: other methods on a path, which Kong gives to the next route', () => {
    const routes =
      '  - { name: all, paths: [/] }\n  - { name: m, paths: [/m], methods: [POST], plugins: [{ name: key-auth }] }\n';
    assert.deepEqual(notFound(routes), [
      'takes "/m" for POST only: there, Kong gives methods other than POST to the route "all", but Postern answers 404',
    ]);
    assert.deepEqual(notFound(routes.replace('paths: [/] }', 'paths: [/], methods: [GET, POST] }')), [
      'takes "/m" for POST only: there, Kong gives GET to the route "all", but Postern answers 404',
    ]);
  });

  it('are not there when another endpoint of the path takes the methods, or Kong gives them to no route', () => {
    const post = '  - { name: m, paths: [/m], methods: [POST] }\n';
    assert.deepEqual(notFound(post), []);
    assert.deepEqual(notFound(`${post}  - { name: all, paths: [/], methods: [POST] }\n`), []);
    assert.deepEqual(notFound(`${post}  - { name: all, paths: [/] }\n  - { name: rest, paths: [/m] }\n`), []);
    assert.deepEqual(notFound(`${post}  - { name: host, hosts: [x.com], paths: [/] }\n`), []);
  });

  it('are reported: what goes on within a segment, once for the file', () => {
    const routes = '  - { name: a, paths: [/orders, /users] }\n  - { name: b, paths: [/stock/] }\n';
    assert.deepEqual(notFound(routes, { wholeSegments: false }), [
      'Kong’s path "/orders", and 1 more like it, also takes "/orders2"; in Postern that is 404, or belongs to another endpoint',
    ]);
    assert.deepEqual(notFound(routes), []);
  });
});

describe('what is larger than an endpoint may be', () => {
  it('is left out with an error, and its requests fall to no broader endpoint', () => {
    const paths = Array.from({ length: 101 }, (_, index) => `/a/${String(index)}`).join(', ');
    const names = Array.from({ length: 10 }, (_, index) => `k${String(index)}`).join(', ');
    const imported = importText(
      file(`  - { name: many, paths: [${paths}], plugins: [{ name: key-auth, config: { key_names: [${names}] } }] }
  - { name: all, paths: [/] }
  - { name: ${'n'.repeat(1100)}, paths: [/b, /${'p'.repeat(1024)}], plugins: [{ name: key-auth }] }
`),
    );
    assert.deepEqual(
      imported.endpoints.map(({ id, enabled }) => [String(id).slice(0, 3), enabled]),
      [
        ['all', false],
        ['nnn', undefined],
      ],
    );
    const errors = linesOf(imported.findings, 'error').join('\n');
    assert.match(errors, /route "many": has 101 paths, and an endpoint has 100 at most: it was left out/);
    assert.match(errors, /it is longer than 1024 characters/);
    assert.match(
      errors,
      /takes the key from more places, or longer ones, than an endpoint has \(16 of 256 characters\)/,
    );
  });
});
