import { envoyGateway } from '../../support/attachments/envoy-gateway.ts';
import { backendRoute, type JsonObject, objectAt, removeFilter } from '../../support/envoy/envoy-config.ts';
import { undecidedCases } from '../chain/cases/undecided.ts';

const { authz, buffer } = envoyGateway.filters;

/** As if policies of the gateway were not there for the route to the back end. */
function dropOverrides(config: JsonObject, ...filters: readonly string[]): void {
  const route = backendRoute(config);
  const overrides = Object.entries(objectAt(route, 'typed_per_filter_config'));
  route['typed_per_filter_config'] = Object.fromEntries(overrides.filter(([name]) => !filters.includes(name)));
}

describe('Envoy Gateway', () => {
  undecidedCases(envoyGateway, {
    'a route with a SecurityPolicy of its own': (config) => {
      dropOverrides(config, authz);
    },
    'a route without any policy': (config) => {
      delete backendRoute(config)['typed_per_filter_config'];
    },
    'no SecurityPolicy at all': (config) => {
      removeFilter(config, authz);
      dropOverrides(config, authz, buffer);
    },
    'a SecurityPolicy that is not accepted': (config) => {
      removeFilter(config, authz);
      const route = backendRoute(config);
      delete route['route'];
      route['direct_response'] = { status: 500 };
      dropOverrides(config, authz);
    },
  });
});
