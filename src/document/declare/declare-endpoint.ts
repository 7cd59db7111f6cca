import type { Endpoint } from '../../model/endpoint.ts';
import { commonOptions, optionsOf, type ReadOptions } from '../read-options.ts';
import { declareLimits } from './declare-limits.ts';
import { type Declared, withoutDefaults } from './declared.ts';

const nothingRead: ReadOptions = { values: {}, keyNames: null, algorithms: null };

/** An endpoint as a declarative file has it (interfaces §4): defaults are left out, so that what is there was chosen. */
export function declareEndpoint(endpoint: Endpoint): Declared {
  const { id, description, scenario, match, limits, enabled } = endpoint;
  const { hosts, paths, methods } = match;
  return withoutDefaults(
    {
      id,
      description,
      scenario,
      match: withoutDefaults({ hosts, paths, methods }, { hosts: [], methods: [] }),
      ...(endpoint.scenario === 'open'
        ? {}
        : { authentication: endpoint.authentication, accessCondition: endpoint.accessCondition }),
      trafficControl: withoutDefaults({ limits: declareLimits(limits) }, { limits: [] }),
      options: withoutDefaults({ ...endpoint.options }, { ...defaultsOf(endpoint) }),
      enabled,
    },
    { description: '', accessCondition: 'authenticated', trafficControl: {}, options: {}, enabled: true },
  );
}

function defaultsOf({ authentication }: Endpoint): object {
  return authentication === null ? commonOptions(nothingRead) : optionsOf[authentication](nothingRead);
}
