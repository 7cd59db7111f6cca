import { assertFindings } from '../../../../support/envoy/doctor-findings.ts';
import { backendRoute, filterSettings, type JsonObject, objectAt } from '../../../../support/envoy/envoy-config.ts';

const GUARD = 'postern.guard';
const FILTERS = 'type.googleapis.com/envoy.extensions.filters.http.';
const notAsked: JsonObject = {
  'envoy.filters.http.ext_authz': { '@type': `${FILTERS}ext_authz.v3.ExtAuthzPerRoute`, disabled: true },
};
const anyone = { policies: { all: { principals: [{ any: true }], permissions: [{ any: true }] } } };

/** What a route says of the guard's rules instead of those of the chain. */
function guardRules(settings: JsonObject): JsonObject {
  return { [GUARD]: { '@type': `${FILTERS}rbac.v3.RBACPerRoute`, ...settings } };
}

describe('doctor: rules of the guard that a route replaces', () => {
  for (const [title, settings] of Object.entries<JsonObject>({
    'by none': {},
    'by rules that are empty': { rbac: {} },
    'by rules that let everything pass': { rbac: { rules: anyone } },
    'by rules that refuse something only': { rbac: { rules: { action: 'DENY', ...anyone } } },
  })) {
    it(`are a fault, as a guard that is off: ${title}`, () => {
      assertFindings((config) => {
        backendRoute(config)['typed_per_filter_config'] = guardRules(settings);
      }, /^fault: .*: the guard is switched off here/);
      assertFindings((config) => {
        backendRoute(config)['typed_per_filter_config'] = { ...notAsked, ...guardRules(settings) };
      }, /^fault: .*: ext_authz and the guard are switched off here/);
    });
  }

  it('are a fault within the wrapper that can switch a filter off, too', () => {
    assertFindings((config) => {
      const wrapper = 'type.googleapis.com/envoy.config.route.v3.FilterConfig';
      backendRoute(config)['typed_per_filter_config'] = {
        [GUARD]: { '@type': wrapper, config: guardRules({})[GUARD] ?? null },
      };
    }, /^fault: .*: the guard is switched off here/);
  });

  it('are right when they are the same', () => {
    assertFindings((config) => {
      const rules = structuredClone(objectAt(filterSettings(config, GUARD), 'rules'));
      backendRoute(config)['typed_per_filter_config'] = guardRules({ rbac: { rules } });
    });
  });
});
