import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { inspectEnvoyFile } from '../../../../../src/cli/doctor/envoy/inspect-envoy-file.ts';
import { unknownLimits } from '../../../../../src/cli/doctor/own-limits.ts';
import { dumpOf } from '../../../../support/envoy/config-dump.ts';
import {
  connectionManager,
  filterSettings,
  type Json,
  type JsonObject,
  objectAt,
  readEnvoyConfig,
} from '../../../../support/envoy/envoy-config.ts';

function examine(text: string): readonly string[] {
  return inspectEnvoyFile({ name: 'envoy.yaml', text }, { own: unknownLimits }).map(
    ({ level, subject, message }) => `${level}: ${subject}: ${message}`,
  );
}

const WELL = ['ok: listener partners: asks Postern about every request, and lets nothing pass that was not decided'];

/** Names as protobuf's JSON has them: `staticResources`. Keys of a caller's own stay. */
function inCamelCase(value: Json, key = ''): Json {
  if (Array.isArray(value)) return value.map((each) => inCamelCase(each, key));
  if (typeof value !== 'object' || value === null || key === 'json_format') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name.includes('.') ? name : name.replaceAll(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()),
      inCamelCase(each, name),
    ]),
  );
}

describe("looking through a file of Envoy's configuration", () => {
  it('finds nothing wrong with the committed one, as YAML', () => {
    assert.deepEqual(examine(readFileSync('envoy.yaml', 'utf8')), WELL);
  });

  for (const [form, write] of [
    ['JSON', (config: JsonObject) => JSON.stringify(config)],
    ['JSON with the names of protobuf', (config: JsonObject) => JSON.stringify(inCamelCase(config))],
    ['YAML with the names of protobuf', (config: JsonObject) => stringify(inCamelCase(config))],
    ['a config dump', (config: JsonObject) => JSON.stringify(dumpOf(config))],
    ['a config dump in YAML', (config: JsonObject) => stringify(dumpOf(config))],
    ['a config dump with the names of protobuf', (config: JsonObject) => JSON.stringify(inCamelCase(dumpOf(config)))],
  ] as const) {
    it(`has the same rules for ${form}`, () => {
      const config = readEnvoyConfig();
      assert.deepEqual(examine(write(config)), WELL);
      filterSettings(config, 'envoy.filters.http.ext_authz')['failure_mode_allow'] = true;
      assert.deepEqual(
        examine(write(config)).map((finding) => finding.slice(0, 68)),
        ['fault: listener partners: ext_authz: failure_mode_allow is on: witho'],
      );
    });
  }

  it('reads the action of a guard as a number', () => {
    const config = readEnvoyConfig();
    const rules = objectAt(filterSettings(config, 'postern.guard'), 'rules');
    rules['action'] = 0;
    assert.deepEqual(examine(stringify(config)), WELL);
    rules['action'] = 1;
    assert.match(examine(stringify(config)).join(), /^fault: listener partners: guard: the guard lets more pass/);
  });

  it('warns of what is elsewhere', () => {
    const config = readEnvoyConfig();
    config['dynamic_resources'] = { lds_config: {}, cds_config: {} };
    assert.deepEqual(examine(stringify(config)), [
      ...WELL,
      'warning: Envoy file envoy.yaml: listeners, clusters come from elsewhere (dynamic_resources): they are not looked through',
    ]);
    const other = readEnvoyConfig();
    const manager = connectionManager(other);
    delete manager['route_config'];
    manager['rds'] = { route_config_name: 'table' };
    assert.match(
      examine(stringify(other)).join('\n'),
      /^warning: listener partners: its routes come from elsewhere \(rds\): they are not looked through$/m,
    );
  });

  const faults: Readonly<Record<string, [text: string, message: RegExp]>> = {
    'no YAML': ['a: [', /^fault: Envoy file envoy\.yaml: line \d+: /],
    'an alias that grows': [
      `a: &a [1,1,1,1,1,1,1,1,1,1]\n${'bcdefgh'
        .split('')
        .map(
          (name, index) =>
            `${name}: &${name} [${Array(10)
              .fill(`*${'abcdefgh'[index] ?? ''}`)
              .join(',')}]`,
        )
        .join('\n')}\n`,
      /^fault: Envoy file envoy\.yaml: line \d+: /,
    ],
    'something else': ['version: 1\nendpoints: []\n', /is neither a bootstrap configuration nor a config dump/],
    nothing: ['', /is neither a bootstrap configuration nor a config dump/],
    'a list': ['[]', /is neither a bootstrap configuration nor a config dump/],
  };
  for (const [name, [text, message]] of Object.entries(faults)) {
    it(`refuses ${name}`, () => {
      const findings = examine(text);
      assert.equal(findings.length, 1);
      assert.match(findings.join(), message);
    });
  }
});
