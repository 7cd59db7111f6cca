import assert from 'node:assert/strict';
import { startChain, useChain } from '../../../support/stack/chain.ts';
import { allow } from '../../../support/stack/check-answers.ts';
import {
  backendRoute,
  connectionManager,
  httpFilters,
  type JsonObject,
  listAt,
  moveFilterBefore,
  objectAt,
  routes,
} from '../../../support/envoy/envoy-config.ts';
import { protocols, send } from '../../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer, jsonBody } from '../../../support/http/http-message.ts';
import { type Attachment } from '../../../support/attachments/attachment.ts';

const FILTERS = 'type.googleapis.com/envoy.extensions.filters.http.';
const ROUTER = 'envoy.filters.http.router';
const API_KEYS = 'envoy.filters.http.api_key_auth';

/** Answers that somebody configured beside Postern, and requests that no route takes. */
export function answersOfOthersCases(attachment: Attachment): void {
  const { authz, guard } = attachment.filters;
  const notAsked: JsonObject = {
    [authz]: { '@type': `${FILTERS}ext_authz.v3.ExtAuthzPerRoute`, disabled: true },
    [guard]: { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true },
  };
  const undecided: JsonObject = {
    [authz]: { '@type': `${FILTERS}ext_authz.v3.ExtAuthzPerRoute`, disabled: true },
  };

  /** An RBAC filter of an operator, which refuses requests with this header. */
  function ownRbac(header: string): JsonObject {
    const permissions = [{ header: { name: header, present_match: true } }];
    return {
      name: `own.${header}`,
      typed_config: {
        '@type': `${FILTERS}rbac.v3.RBAC`,
        rules: { action: 'DENY', policies: { own: { principals: [{ any: true }], permissions } } },
      },
    };
  }

  const filtersBefore: readonly JsonObject[] = [
    ownRbac('x-refused-before'),
    {
      name: 'envoy.filters.http.health_check',
      typed_config: {
        '@type': `${FILTERS}health_check.v3.HealthCheck`,
        pass_through_mode: false,
        headers: [{ name: ':path', string_match: { exact: '/healthz' } }],
      },
    },
    {
      name: 'own.lua',
      typed_config: {
        '@type': `${FILTERS}lua.v3.Lua`,
        clear_route_cache: false,
        default_source_code: {
          inline_string:
            'function envoy_on_request(h) if h:headers():get(":path") == "/lua" then ' +
            'h:respond({[":status"] = "418", ["content-type"] = "text/teapot"}, "short and stout") end end',
        },
      },
    },
    {
      name: 'envoy.filters.http.local_ratelimit',
      typed_config: { '@type': `${FILTERS}local_ratelimit.v3.LocalRateLimit`, stat_prefix: 'own' },
    },
    // On only for the route that has keys of its own.
    { name: API_KEYS, disabled: true, typed_config: { '@type': `${FILTERS}api_key_auth.v3.ApiKeyAuth` } },
  ];

  const plain = { inline_string: 'ok\n' };
  const page = { inline_string: '<h1>We are back soon</h1>' };
  const html = [{ header: { key: 'content-type', value: 'text/html' }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' }];
  const noTokens = {
    '@type': `${FILTERS}local_ratelimit.v3.LocalRateLimit`,
    stat_prefix: 'own',
    token_bucket: { max_tokens: 1, fill_interval: '3600s' },
    filter_enabled: { default_value: { numerator: 100 } },
    filter_enforced: { default_value: { numerator: 100 } },
  };

  const keys = {
    '@type': `${FILTERS}api_key_auth.v3.ApiKeyAuthPerRoute`,
    credentials: [{ key: 'own', client: 'own' }],
    key_sources: [{ header: 'x-own-key' }],
  };

  const ownRoutes: readonly JsonObject[] = [
    { match: { path: '/health' }, direct_response: { status: 200, body: plain } },
    { match: { path: '/robots.txt' }, direct_response: { status: 404, body: plain } },
    { match: { path: '/busy' }, direct_response: { status: 503, body: page }, response_headers_to_add: html },
    { match: { path: '/moved' }, redirect: { path_redirect: '/orders' } },
    {
      match: { path: '/keyed' },
      direct_response: { status: 200, body: plain },
      typed_per_filter_config: { [API_KEYS]: keys },
    },
  ].map((route: JsonObject) => ({
    ...route,
    typed_per_filter_config: { ...notAsked, ...(route['typed_per_filter_config'] as JsonObject | undefined) },
  }));

  const answers: Readonly<Record<string, readonly [status: number, type: string | null, body: string]>> = {
    '/health': [200, 'text/plain', 'ok\n'],
    '/robots.txt': [404, 'text/plain', 'ok\n'],
    '/busy': [503, 'text/html', '<h1>We are back soon</h1>'],
    '/moved': [301, null, ''],
    '/healthz': [200, null, ''],
    '/lua': [418, 'text/teapot', 'short and stout'],
    '/keyed': [401, 'text/plain', 'Client authentication failed.'],
  };

  function edit(config: JsonObject): void {
    const [host] = listAt(connectionManager(config), 'route_config', 'virtual_hosts');
    objectAt(host ?? null)['domains'] = ['api.example.com'];
    const route = backendRoute(config);
    const target = objectAt(route, 'route');
    route['match'] = { prefix: '/orders' };
    const limited = {
      ...structuredClone(route),
      match: { prefix: '/limited' },
      typed_per_filter_config: {
        ...(route['typed_per_filter_config'] as JsonObject | undefined),
        'envoy.filters.http.local_ratelimit': noTokens,
      },
    };
    const { cluster, ...rest } = target;
    const weighted = { ...rest, weighted_clusters: { clusters: [{ name: cluster ?? null, weight: 1 }] } };
    const byHeader = { ...rest, cluster_header: 'x-cluster' };
    const holes = Object.entries({ '/unnamed': target, '/weighted': weighted, '/by-header': byHeader }).map(
      ([prefix, leadsTo]) => ({ match: { prefix }, route: leadsTo, typed_per_filter_config: undecided }),
    );
    const named = { name: 'named', match: { prefix: '/named' }, route: target, typed_per_filter_config: undecided };
    routes(config).unshift(...(structuredClone([...ownRoutes, limited, ...holes, named]) as JsonObject[]));
    httpFilters(config).unshift(...structuredClone(filtersBefore));
    httpFilters(config).push(ownRbac('x-refused-behind'));
    moveFilterBefore(config, 'own.x-refused-behind', ROUTER);
  }

  describe('beside what others configured', () => {
    const chain = useChain({ attachment, edit });
    const prefix = JSON.stringify(connectionManager(attachment.config())['stat_prefix']).slice(1, -1);
    const guardDenied = async (): Promise<number> => await chain.envoy.stat(`http.${prefix}.rbac.postern_guard.denied`);

    /** Asks, and asserts by how much the guard's count of refusals grew. */
    async function ask(count: number, ...options: Parameters<typeof send>): Promise<HttpAnswer> {
      const before = await guardDenied();
      const answer = await send(...options);
      assert.equal((await guardDenied()) - before, count);
      assert.equal(chain.backend.requests.length, 0);
      return answer;
    }

    for (const protocol of protocols) {
      for (const [target, [status, type, body]] of Object.entries(answers)) {
        it(`an answer keeps its body and type: ${target} over ${protocol}`, async () => {
          const answer = await ask(0, protocol, chain.envoy.port, { target });
          assert.deepEqual(
            [answer.status, fieldValue(answer.headers, 'content-type'), answer.body.toString()],
            [status, type, body],
          );
        });
      }

      for (const header of ['x-refused-before', 'x-refused-behind']) {
        it(`the 403 of another RBAC filter stays, and does not count as the guard's: ${header} over ${protocol}`, async () => {
          const answer = await ask(0, protocol, chain.envoy.port, { target: '/orders', headers: [[header, 'x']] });
          assert.deepEqual(
            [answer.status, fieldValue(answer.headers, 'content-type'), answer.body.toString()],
            [403, 'text/plain', 'RBAC: access denied'],
          );
        });
      }

      for (const [title, request] of Object.entries({
        'another host': { target: '/orders', host: 'other.example.com' },
        'another path': { target: '/elsewhere' },
      })) {
        it(`a request that no route takes gets 404, and does not count as the guard's: ${title} over ${protocol}`, async () => {
          const answer = await ask(0, protocol, chain.envoy.port, request);
          assert.deepEqual(
            [answer.status, (jsonBody(answer) as { readonly code?: unknown }).code],
            [404, 'GATEWAY_ERROR'],
          );
          assert.equal(chain.check.checks.length, 0);
        });
      }

      for (const target of ['/unnamed', '/named', '/weighted', '/by-header']) {
        it(`a request that nobody decided gets 503, and counts as the guard's: ${target} over ${protocol}`, async () => {
          const headers = [['x-cluster', attachment.clusters.backend]] as const;
          const answer = await ask(1, protocol, chain.envoy.port, { target, headers });
          assert.deepEqual(
            [answer.status, (jsonBody(answer) as { readonly code?: unknown }).code],
            [503, 'UNAVAILABLE'],
          );
        });
      }
    }

    it('the 429 of a local rate limit keeps its body', async () => {
      assert.equal((await send('HTTP/1.1', chain.envoy.port, { target: '/limited' })).status, 200);
      chain.reset();
      const answer = await ask(0, 'HTTP/1.1', chain.envoy.port, { target: '/limited' });
      assert.deepEqual([answer.status, answer.body.toString()], [429, 'local_rate_limited']);
    });

    it('what Postern did not decide as it must counts as the guard’s', async () => {
      chain.check.answer = () => allow({ metadata: { 'postern.body': 'pending' } });
      assert.equal((await ask(1, 'HTTP/1.1', chain.envoy.port, { target: '/orders' })).status, 503);
    });
  });

  describe('a filter behind the guard that gives a request without a route one', () => {
    it('does not bring it to the back end, which Postern was not asked about', async () => {
      await using chain = await startChain({
        attachment,
        edit: (config) => {
          backendRoute(config)['match'] = { prefix: '/orders' };
          httpFilters(config).push({
            name: 'own.rewrite',
            typed_config: {
              '@type': `${FILTERS}lua.v3.Lua`,
              default_source_code: {
                inline_string: 'function envoy_on_request(h) h:headers():replace(":path", "/orders") end',
              },
            },
          });
          moveFilterBefore(config, 'own.rewrite', ROUTER);
        },
      });
      for (const protocol of protocols) {
        const answer = await send(protocol, chain.envoy.port, { target: '/elsewhere' });
        assert.equal(answer.status, 404);
      }
      assert.equal(chain.check.checks.length, 0);
      assert.equal(chain.backend.requests.length, 0);
    });
  });
}
