import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { istio } from '../../support/attachments/istio.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import {
  backendRoute,
  httpFilters,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  removeFilter,
} from '../../support/envoy/envoy-config.ts';
import { protocols, send } from '../../support/http/http-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { deny } from '../../support/stack/check-answers.ts';
import { useChain } from '../../support/stack/chain.ts';

const ORIGIN = 'https://shop.example.com';

/** What Istio makes of `corsPolicy` in a VirtualService. */
function allowOrigin(config: JsonObject): void {
  const route = backendRoute(config);
  route['typed_per_filter_config'] = {
    ...(route['typed_per_filter_config'] as JsonObject | undefined),
    'envoy.filters.http.cors': {
      '@type': 'type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy',
      allow_origin_string_match: [{ exact: ORIGIN }],
      allow_methods: 'GET,POST',
      filter_enabled: { default_value: { numerator: 100 } },
    },
  };
}

/** What the EnvoyFilter of docs/istio.md does to the filters. */
function moveAsShown(config: JsonObject): void {
  const shown = readFences(readDocument('docs/istio.md'), 'yaml').find((text) => text.includes('name: postern-cors'));
  const patches = listAt(parse(shown ?? '') as Json, 'spec', 'configPatches');
  assert.equal(patches.length, 2);
  for (const patch of patches) {
    const { operation, value } = objectAt(patch, 'patch');
    if (operation === 'REMOVE') {
      const { name } = objectAt(patch, 'match', 'listener', 'filterChain', 'filter', 'subFilter');
      assert.ok(typeof name === 'string');
      removeFilter(config, name);
    } else {
      assert.equal(operation, 'INSERT_FIRST');
      httpFilters(config).unshift(structuredClone(value ?? null));
    }
  }
}

const preflight = [
  ['origin', ORIGIN],
  ['access-control-request-method', 'POST'],
] as const;

describe('CORS behind a gateway of Istio', () => {
  describe('in the order of Istio', () => {
    const chain = useChain({ attachment: istio, edit: allowOrigin });

    it('asks Postern about a preflight request', async () => {
      chain.check.answer = () => deny(401);
      const answer = await send('HTTP/1.1', chain.envoy.port, { method: 'OPTIONS', headers: preflight });
      assert.deepEqual([answer.status, fieldValue(answer.headers, 'access-control-allow-origin')], [401, null]);
    });
  });

  describe('in the order that docs/istio.md shows', () => {
    const chain = useChain({
      attachment: istio,
      edit: (config) => {
        allowOrigin(config);
        moveAsShown(config);
      },
    });

    for (const protocol of protocols) {
      it(`answers a preflight request without asking Postern, over ${protocol}`, async () => {
        const answer = await send(protocol, chain.envoy.port, { method: 'OPTIONS', headers: preflight });
        assert.deepEqual([answer.status, fieldValue(answer.headers, 'access-control-allow-origin')], [200, ORIGIN]);
        assert.equal(chain.check.checks.length, 0);
        assert.equal(chain.backend.requests.length, 0);
      });

      it(`shows refusals to browsers, over ${protocol}`, async () => {
        chain.check.answer = () => deny(401);
        const answer = await send(protocol, chain.envoy.port, { headers: [['origin', ORIGIN]] });
        assert.deepEqual([answer.status, fieldValue(answer.headers, 'access-control-allow-origin')], [401, ORIGIN]);
        assert.equal(chain.backend.requests.length, 0);
      });

      it(`asks Postern about every other request, over ${protocol}`, async () => {
        const answer = await send(protocol, chain.envoy.port, { method: 'OPTIONS', headers: [['origin', ORIGIN]] });
        assert.equal(answer.status, 200);
        assert.equal(chain.check.checks.length, 1);
      });
    }
  });
});
