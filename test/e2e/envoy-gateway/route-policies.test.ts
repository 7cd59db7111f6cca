import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { inspectEnvoy } from '../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { unknownLimits } from '../../../src/cli/doctor/own-limits.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { envoyGateway } from '../../support/attachments/envoy-gateway.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { dumpOf } from '../../support/envoy/config-dump.ts';
import {
  at,
  backendRoute,
  filterSettings,
  httpFilters,
  indexOfFilter,
  type JsonObject,
  objectAt,
  routes,
} from '../../support/envoy/envoy-config.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { allowReplaced, deny } from '../../support/stack/check-answers.ts';
import { useChain } from '../../support/stack/chain.ts';

const { unwrap, authz } = envoyGateway.filters;
const LUA = 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua';
const FILTER_CONFIG = 'type.googleapis.com/envoy.config.route.v3.FilterConfig';

/** Stands in docs/envoy-gateway.md for the unwrap script. */
const UNWRAP_SCRIPT = '-- the script of deploy/overlays/envoy-gateway/extension-policy.yaml';

/** The scripts of the policy that docs/envoy-gateway.md shows: the unwrap script, and one of the route's own. */
function scriptsOfPage(): readonly string[] {
  const page = readFences(readDocument('docs/envoy-gateway.md'), 'yaml');
  const policy = parse(page.find((text) => text.includes('kind: EnvoyExtensionPolicy')) ?? '') as {
    readonly spec: { readonly mergeType?: string; readonly lua: readonly { readonly inline: string }[] };
  };
  assert.equal(policy.spec.mergeType, 'StrategicMerge');
  const [first, ...own] = policy.spec.lua.map(({ inline }) => inline.trim());
  assert.equal(first, UNWRAP_SCRIPT);
  const overlay = parse(readDocument('deploy/overlays/envoy-gateway/extension-policy.yaml')) as typeof policy;
  return [assertOne(overlay.spec.lua).inline, ...own];
}

/**
 * What Envoy Gateway 1.9.1 makes of an EnvoyExtensionPolicy with these scripts on the route to back ends, as egctl
 * translates it: a filter for each, off but on the route, where the gateway's own is off then.
 */
function addScripts(config: JsonObject, scripts: readonly string[]): void {
  const route = backendRoute(config);
  const other: JsonObject = { ...structuredClone(route), name: 'other', match: { prefix: '/other' } };
  routes(config).unshift(other);
  const perRoute = Object.fromEntries(
    Object.entries(objectAt(route, 'typed_per_filter_config')).filter(([name]) => name !== unwrap),
  );
  route['typed_per_filter_config'] = perRoute;
  for (const [index, script] of scripts.entries()) {
    const name = `envoy.filters.http.lua/envoyextensionpolicy/partners/orders/lua/${String(index)}`;
    const place = indexOfFilter(config, unwrap) + (index === 0 ? 0 : index);
    const settings = { '@type': LUA, default_source_code: { inline_string: script } };
    httpFilters(config).splice(place, 0, { name, disabled: true, typed_config: settings });
    perRoute[name] = { '@type': FILTER_CONFIG, config: {} };
  }
}

function warningsOf(edit: (config: JsonObject) => void): readonly string[] {
  const config = envoyGateway.config();
  const unchanged = inspectEnvoy(dumpOf(config), { own: unknownLimits, live: null, endpoints: null });
  edit(config);
  const known = new Set(unchanged.map(({ message }) => message));
  return inspectEnvoy(dumpOf(config), { own: unknownLimits, live: null, endpoints: null })
    .map(({ message }) => message)
    .filter((message) => !known.has(message));
}

describe('a route of Envoy Gateway with scripts of its own', () => {
  const wrapper = '{"data":"inner","appKey":"k","sign":"s"}';
  const [unwrapScript = '', ownScript = ''] = scriptsOfPage();

  describe('that begin with the unwrap script', () => {
    const edit = (config: JsonObject): void => {
      addScripts(config, [unwrapScript, ownScript]);
    };
    const chain = useChain({ attachment: envoyGateway, edit });

    it('gets bodies replaced, and runs the others', async () => {
      chain.check.answer = () => allowReplaced('inner');
      assert.equal((await http1(chain.envoy.port, { method: 'POST', body: wrapper })).status, 200);
      const { body, headers } = assertOne(chain.backend.requests);
      assert.deepEqual([body.toString(), fieldValue(headers, 'x-plan')], ['inner', 'orders']);
    });

    it('is right for doctor, and has the script of the overlay', () => {
      assert.deepEqual(warningsOf(edit), []);
      const script = at(filterSettings(envoyGateway.config(), unwrap), 'default_source_code', 'inline_string');
      assert.ok(typeof script === 'string');
      assert.equal(unwrapScript.trim(), script.trim());
    });
  });

  describe('alone', () => {
    const edit = (config: JsonObject): void => {
      addScripts(config, [ownScript]);
    };
    const chain = useChain({ attachment: envoyGateway, edit });

    it('answers 503 where a body must be replaced, which doctor tells', async () => {
      chain.check.answer = () => allowReplaced('inner');
      assert.equal((await http1(chain.envoy.port, { method: 'POST', body: wrapper })).status, 503);
      assert.equal(chain.backend.requests.length, 0);
      assert.deepEqual(warningsOf(edit), ['the unwrap script is switched off here: JSON wrappers get 503']);
    });
  });
});

describe('a route of Envoy Gateway with CORS from a merged SecurityPolicy', () => {
  const origin = ['Origin', 'https://shop.example.com'] as const;
  const chain = useChain({
    attachment: envoyGateway,
    edit: (config) => {
      const type = 'type.googleapis.com/envoy.extensions.filters.http.cors.v3';
      httpFilters(config).unshift({ name: 'envoy.filters.http.cors', typed_config: { '@type': `${type}.Cors` } });
      const perRoute = backendRoute(config)['typed_per_filter_config'] as JsonObject;
      assert.ok(authz in perRoute);
      perRoute['envoy.filters.http.cors'] = {
        '@type': `${type}.CorsPolicy`,
        allow_origin_string_match: [{ exact: origin[1] }],
        allow_methods: 'GET',
        forward_not_matching_preflights: false,
      };
    },
  });

  it('has preflights answered without Postern, and everything else decided by it', async () => {
    chain.check.answer = () => deny(401);
    const headers = [origin, ['Access-Control-Request-Method', 'GET']] as const;
    const preflight = await http1(chain.envoy.port, { method: 'OPTIONS', headers });
    assert.deepEqual(
      [preflight.status, fieldValue(preflight.headers, 'access-control-allow-origin')],
      [200, origin[1]],
    );
    assert.equal(chain.check.checks.length, 0);
    const refused = await http1(chain.envoy.port, { headers: [origin] });
    assert.deepEqual([refused.status, fieldValue(refused.headers, 'access-control-allow-origin')], [401, origin[1]]);
    assert.equal(chain.backend.requests.length, 0);
  });
});
