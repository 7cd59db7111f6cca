import { type AuthenticationMethod } from '../../../src/model/endpoint.ts';
import { chosenAttachment } from '../attachments/chosen.ts';
import { at, backendRoute, type JsonObject, routes } from '../envoy/envoy-config.ts';
import { type CheckOptions } from '../signing/signed-message.ts';

/** The header by which Envoy finds the endpoint of a vector: vectors have paths and hosts of their own. */
export const VECTOR_ENDPOINT = 'x-vector-endpoint';

/** Endpoints for vectors: one for each set of options that a vector asks for. */
export interface VectorEndpoints {
  /** The id of the endpoint with these options. */
  idOf(options: Partial<CheckOptions> | undefined): string;
  /** A declarative file with all of them, and a partner who holds the App Keys. */
  readonly document: string;
  /** Adds a route for each one. */
  readonly addRoutes: (config: JsonObject) => void;
}

/** An App Key of a file of vectors, with the secrets that are right for it: the current one, and a former one. */
export interface VectorKey {
  readonly appKey: string;
  readonly secrets: readonly (string | undefined)[];
}

export function vectorEndpoints(
  authentication: AuthenticationMethod,
  wanted: readonly (Partial<CheckOptions> | undefined)[],
  keys: readonly VectorKey[],
): VectorEndpoints {
  const sets = [...new Set(wanted.map((options = {}) => JSON.stringify(options)))];
  const idOf = (options: Partial<CheckOptions> = {}): string =>
    `vector-${String(sets.indexOf(JSON.stringify(options)))}`;
  const document = JSON.stringify({
    version: 1,
    endpoints: sets.map((set, index) => ({
      id: `vector-${String(index)}`,
      scenario: 'partner-openapi',
      match: { paths: [{ prefix: `/only-by-its-route/${String(index)}` }] },
      authentication,
      ...(set === '{}' ? {} : { options: JSON.parse(set) as unknown }),
    })),
    consumers: [
      {
        id: 'vectors',
        credentials: keys.map(({ appKey, secrets: [appSecret, former] }, index) => ({
          id: `vectors-${String(index)}`,
          method: authentication,
          appKey,
          appSecret,
          ...(former === undefined ? {} : { retiringSecret: { appSecret: former, expiresAt: '2999-01-01T00:00:00Z' } }),
        })),
      },
    ],
  });
  const addRoutes = (config: JsonObject): void => {
    const { typed_per_filter_config: others } = backendRoute(config);
    const route = at(backendRoute(config), 'route');
    const added = sets.map((_, index) => ({
      match: { prefix: '/', headers: [{ name: VECTOR_ENDPOINT, string_match: { exact: `vector-${String(index)}` } }] },
      route,
      typed_per_filter_config: {
        ...(others as JsonObject | undefined),
        [chosenAttachment().filters.authz]: {
          '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute',
          check_settings: { context_extensions: { endpoint: `vector-${String(index)}` } },
        },
      },
    }));
    routes(config).unshift(...added);
  };
  return { idOf, document, addRoutes };
}
