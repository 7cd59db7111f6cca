import assert from 'node:assert/strict';
import { istio } from '../../support/attachments/istio.ts';
import {
  backendRoute,
  filterSettings,
  type JsonObject,
  objectAt,
  removeFilter,
  routes,
} from '../../support/envoy/envoy-config.ts';
import { protocols, send } from '../../support/http/http-client.ts';
import { startChain } from '../../support/stack/chain.ts';
import { undecidedCases } from '../chain/cases/undecided.ts';

const RBAC = 'envoy.filters.http.rbac';

/** The policies by which Istio notes that Postern is to be asked. */
function policies(config: JsonObject): JsonObject {
  return objectAt(filterSettings(config, RBAC), 'shadow_rules', 'policies');
}

describe('a gateway of Istio', () => {
  undecidedCases(istio, {
    'no AuthorizationPolicy': (config) => {
      removeFilter(config, RBAC);
      removeFilter(config, istio.filters.authz);
    },
    'ext_authz alone, without what it depends on': (config) => {
      removeFilter(config, RBAC);
    },
    'an AuthorizationPolicy whose rule does not match': (config) => {
      for (const policy of Object.values(policies(config))) {
        objectAt(policy)['permissions'] = [{ url_path: { path: { prefix: '/elsewhere' } } }];
      }
    },
    'an AuthorizationPolicy of another provider': (config) => {
      const settings = filterSettings(config, RBAC);
      const renamed = Object.entries(policies(config)).map(([name, policy]) => [
        name.replace('postern', 'other'),
        policy,
      ]);
      objectAt(settings, 'shadow_rules')['policies'] = Object.fromEntries(renamed) as JsonObject;
    },
    'a route of others, named as that of Postern itself, which switches ext_authz off': (config) => {
      const [own] = routes(config);
      const settings = objectAt(own ?? null, 'typed_per_filter_config');
      backendRoute(config)['typed_per_filter_config'] = settings;
      if ('postern.guard' in settings) throw new Error('the guard is switched off by name');
    },
  });

  it('refuses by itself without the provider in the mesh configuration, and its 403 stays', async () => {
    await using chain = await startChain({
      attachment: istio,
      edit: (config) => {
        const settings = filterSettings(config, RBAC);
        settings['rules'] = settings['shadow_rules'] ?? null;
        delete settings['shadow_rules'];
        removeFilter(config, istio.filters.authz);
      },
    });
    for (const protocol of protocols) {
      const answer = await send(protocol, chain.envoy.port, { method: 'POST', body: 'x' });
      assert.deepEqual([answer.status, answer.body.toString()], [403, 'RBAC: access denied']);
    }
    assert.equal(chain.check.checks.length, 0);
    assert.equal(chain.backend.requests.length, 0);
  });
});
