import assert from 'node:assert/strict';
import { assertFindings, findingsAfter } from '../../../../support/envoy/doctor-findings.ts';
import {
  backendRoute,
  httpFilters,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
} from '../../../../support/envoy/envoy-config.ts';

/** Settings as patches of a control plane may write them. */
function asStruct(settings: Json, type: string): JsonObject {
  const { '@type': typeUrl = '', ...value } = objectAt(settings);
  return { '@type': `type.googleapis.com/${type}`, type_url: typeUrl, value };
}

function wrapFilters(config: JsonObject, type: string): void {
  for (const filter of httpFilters(config).map((each) => objectAt(each))) {
    filter['typed_config'] = asStruct(filter['typed_config'] ?? null, type);
  }
}

describe('settings in a TypedStruct', () => {
  for (const type of ['xds.type.v3.TypedStruct', 'udpa.type.v1.TypedStruct']) {
    it(`are read as those of a filter (${type})`, () => {
      const findings = findingsAfter((config) => {
        wrapFilters(config, type);
        const [filter] = listAt(config, 'static_resources', 'listeners', 0, 'filter_chains', 0, 'filters');
        const manager = objectAt(filter ?? null);
        manager['typed_config'] = asStruct(manager['typed_config'] ?? null, type);
      });
      assert.deepEqual(findings, [
        'ok: listener partners: asks Postern about every request, and lets nothing pass that was not decided',
      ]);
    });

    it(`are read as those of a route (${type})`, () => {
      assertFindings((config) => {
        wrapFilters(config, type);
        const off = { '@type': 'type.googleapis.com/envoy.config.route.v3.FilterConfig', disabled: true };
        backendRoute(config)['typed_per_filter_config'] = { 'postern.guard': asStruct(off, type) };
      }, /^fault: .*the guard is switched off here/);
    });
  }
});
