import assert from 'node:assert/strict';
import type { MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

interface Route {
  readonly method: string;
  readonly path: string;
}

/** What the routes of partners and endpoints are asked for: something of the people team, which `petra` does not reach. */
const foreign: readonly (readonly [path: RegExp, fill: (path: string) => readonly string[]])[] = [
  [/^\/v1\/consumers\/\{id\}/, (path) => [path.replace('{id}', 'initech')]],
  [/^\/v1\/endpoints\/\{id\}/, (path) => [path.replace('{id}', 'salaries')]],
  [/^\/v1\/(?:plans|issuers)\/\{id\}/, (path) => [path.replace('{id}', 'people')]],
  [/^\/v1\/credentials\/\{id\}/, (path) => [path.replace('{id}', 'initech-hmac')]],
  [
    /^\/v1\/grants\/\{endpoint\}\/\{holder\}/,
    (path) =>
      ['salaries/acme', 'orders/initech', 'salaries/team=people'].map((id) => path.replace('{endpoint}/{holder}', id)),
  ],
];

/** A body that each route takes. */
const bodies: Readonly<Record<string, object>> = {
  'PUT limits': { limits: [] },
  'POST credentials:issue': { consumer: 'initech', method: 'hmac' },
  'POST credentials:import': { consumer: 'initech', methods: ['key'], appKey: 'one-that-nobody-has' },
  'POST credentials:compare': { items: [{ id: 'initech-hmac', secrets: ['a-secret-of-nobody'] }] },
  'POST grants': { endpoint: 'salaries', consumer: 'initech' },
  'POST consumers': { id: 'another', labels: { team: 'people' } },
  'POST issuers': {
    ...{ id: 'another', issuer: 'another', labels: { team: 'people' } },
    ...{ jwksUri: 'https://people.example/keys', audiences: ['a'] },
  },
  'POST plans': {
    ...{ id: 'another', consumerSelector: { team: 'people' }, endpointSelector: { team: 'people' } },
    ...{ priority: 30, limits: [{ requests: 1, unit: 'day' }] },
  },
  'POST endpoints': {
    id: 'another',
    labels: { team: 'people' },
    scenario: 'open',
    match: { paths: [{ prefix: '/a' }] },
  },
};

function askingOf({ method, path }: Route): { readonly body?: object; readonly headers: Record<string, string> } {
  const name = `${method} ${path.split('/').at(-1) ?? ''}`;
  const takesBody = name in bodies || method === 'PATCH' || path.endsWith(':rotate');
  return { headers: { 'if-match': '*' }, ...(takesBody ? { body: bodies[name] ?? {} } : {}) };
}

describe('management API: every route of partners and endpoints', () => {
  let api: MemoryApi;
  let routes: readonly Route[];
  beforeEach(async () => {
    api = await twoTeams();
    const { body } = await api.ask('alice', 'GET', '/openapi.json');
    const paths = body['paths'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    routes = Object.entries(paths)
      .filter(([path]) => /^\/v1\/(?:consumers|endpoints|credentials|grants|plans|issuers)\b/.test(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })));
    assert.ok(routes.length >= 27, `${String(routes.length)} routes`);
  });

  it('answers for one resource beyond reach as if it were not there', async () => {
    const { revision } = api.store;
    const single = routes.filter(({ path }) => path.includes('{'));
    for (const { method, path } of single) {
      const fill = foreign.find(([pattern]) => pattern.test(path))?.[1];
      assert.ok(fill !== undefined, `${path}: say here what is beyond reach`);
      for (const filled of fill(path)) {
        const { body } = await api.ask('petra', method, filled, askingOf({ method, path }));
        assert.equal(body['code'], 'NOT_FOUND', `${method} ${filled}: ${JSON.stringify(body)}`);
      }
    }
    assert.equal(api.store.revision, revision);
  });

  it('lists nothing beyond reach', async () => {
    for (const { path } of routes.filter(({ method, path: each }) => method === 'GET' && !each.includes('{'))) {
      const { status, body } = await api.ask('petra', 'GET', path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(JSON.stringify(body), /initech|salaries|people/, path);
      const all = await api.ask('alice', 'GET', path);
      assert.match(JSON.stringify(all.body), /initech|salaries|people/, `${path}: there is something to leave out`);
    }
  });

  it('makes nothing beyond reach', async () => {
    const { revision } = api.store;
    for (const { method, path } of routes.filter(({ method: each, path }) => each === 'POST' && !path.includes('{'))) {
      const { body } = await api.ask('petra', method, path, askingOf({ method, path }));
      assert.match(String(body['code']), /^(?:NOT_FOUND|FORBIDDEN)$/, `${path}: ${JSON.stringify(body)}`);
    }
    assert.equal(api.store.revision, revision);
  });

  it('changes nothing for a role that only reads', async () => {
    const { revision } = api.store;
    for (const { method, path } of routes.filter(({ method: each }) => each !== 'GET')) {
      const fill = foreign.find(([pattern]) => pattern.test(path))?.[1] ?? ((each: string) => [each]);
      for (const filled of fill(path)) {
        const { body } = await api.ask('victor', method, filled, askingOf({ method, path }));
        assert.equal(body['code'], 'FORBIDDEN', `${method} ${filled}: ${JSON.stringify(body)}`);
      }
    }
    assert.equal(api.store.revision, revision);
  });

  it('changes nothing without the revision that was seen', async () => {
    const { revision } = api.store;
    for (const { method, path } of routes.filter(({ method: each, path }) => each !== 'GET' && path.includes('{'))) {
      const fill = foreign.find(([pattern]) => pattern.test(path))?.[1];
      for (const filled of fill?.(path) ?? []) {
        const { body: given } = askingOf({ method, path });
        const { body } = await api.ask('alice', method, filled, given === undefined ? {} : { body: given });
        assert.equal(body['code'], 'REVISION_REQUIRED', `${method} ${filled}: ${JSON.stringify(body)}`);
      }
    }
    assert.equal(api.store.revision, revision);
  });
});
