import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspectEnvoy } from '../../../src/cli/doctor/envoy/inspect-envoy.ts';
import { startChild } from '../../support/process/child-process.ts';
import { dumpOf } from '../../support/envoy/config-dump.ts';
import { envoyProgram } from '../../support/envoy/envoy.ts';
import {
  connectionManager,
  type Json,
  type JsonObject,
  listAt,
  readEnvoyConfig,
} from '../../support/envoy/envoy-config.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

type Steps = readonly (string | number)[];

/** What may be taken out of envoy.yaml without a word of doctor, and why that is right. */
const harmless: readonly (readonly [reason: string, path: RegExp])[] = [
  [
    'it is the default',
    /\.(normalize_path|merge_slashes|path_with_escaped_slashes_action|headers_with_underscores_action)$/,
  ],
  ['it is the default', /ext_authz.*\.(failure_mode_allow|clear_route_cache|allow_partial_message)$|\.rules\.action$/],
  ['it is the default, and the only version that there is', /\.transport_api_version$/],
  ['the script changes no header, so that it clears no route', /postern\.unwrap\.typed_config\.clear_route_cache$/],
  ['only client certificates need it: doctor asks for it where an endpoint does', /\.include_peer_certificate$/],
  ['what is logged is yours to choose', /^manager\.access_log/],
  ['it names counters', /\.stat_prefix$/],
  ['it names something for people, or for what stands elsewhere', /^listener\.name$|\.virtual_hosts\.0\.name$/],
  ['a STATIC cluster takes addresses; names are refused by Envoy', /^postern(-http)?\.type$/],
  ['the time of a request to a back end is yours to choose', /\.routes\.2\.route\.timeout$/],
  ['a connection manager and its filters work by their type', /^manager$|extension_filter\.name$|access_log\.0\.name$/],
];

/** What may be altered without a word of doctor, and why that is right. */
const alterable: readonly (readonly [reason: string, path: RegExp])[] = [
  ['what is logged is yours to choose', /^manager\.access_log/],
  ['it names counters', /\.stat_prefix$/],
  [
    'it works by its type',
    /(mutation_extensions|retry_host_predicate|extension_filter)(\.\d)?\.name$|(router|unwrap|no-route)\.name$/,
  ],
  [
    'it names something for people',
    /\.json_format\.message$|\.virtual_hosts\.0\.name$|\.load_assignment\.cluster_name$/,
  ],
  ['the script changes no header, so that it clears no route', /postern\.unwrap\.typed_config\.clear_route_cache$/],
  ['only client certificates need it: doctor asks for it where an endpoint does', /\.include_peer_certificate$/],
  ['hosts, paths and times of your APIs are yours', /\.domains\.0$|\.routes\.2\.(match\.prefix|route\.timeout)$/],
  ['another address is seen by the health checks, which doctor asks about', /socket_address\.(address|port_value)$/],
];

/** The parts of envoy.yaml that are Postern's chain, by a name for people; the cluster of the back end is yours. */
function partsOf(config: JsonObject): ReadonlyMap<string, Json> {
  const [grpc, http] = listAt(config, 'static_resources', 'clusters');
  return new Map([
    ['manager', connectionManager(config)],
    ['postern', grpc ?? null],
    ['postern-http', http ?? null],
  ]);
}

/** Every place below a value that holds something, with its name for people: filters by their own name. */
function* placesIn(value: Json, name: string, steps: Steps = []): Generator<{ name: string; steps: Steps }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    const step = Array.isArray(value) ? Number(key) : key;
    const own = typeof item === 'object' && item !== null && !Array.isArray(item) ? item['name'] : undefined;
    const isFilter = name === 'manager.http_filters' && typeof own === 'string';
    const place = { name: `${name}.${isFilter ? own : key}`, steps: [...steps, step] };
    yield place;
    yield* placesIn(item, place.name, place.steps);
  }
}

/** Where the last step leads from. */
function holderOf(part: Json, steps: Steps): JsonObject | Json[] {
  let holder = part;
  for (const step of steps.slice(0, -1)) holder = (holder as JsonObject)[step] ?? null;
  if (typeof holder !== 'object' || holder === null) throw new Error('nothing is there');
  return holder;
}

function take(holder: JsonObject | Json[], step: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(step), 1);
  // Not for a request: a test makes one copy of a file for each line.
  else Reflect.deleteProperty(holder, String(step));
}

/** The other value of a switch; a limit or a time that is none. */
function alter(holder: JsonObject | Json[], step: string | number): void {
  const entries = holder as JsonObject;
  const value = entries[step];
  if (typeof value === 'boolean') entries[step] = !value;
  else if (typeof value === 'number') entries[step] = 0;
  else if (typeof value === 'string') entries[step] = /^[\d.]+s$/.test(value) ? '0s' : 'altered';
}

interface Damage {
  readonly name: string;
  readonly config: JsonObject;
}

/** envoy.yaml with one place changed, for every place of the chain. */
function damages(edit: typeof take, isWanted: (value: Json) => boolean): readonly Damage[] {
  const whole = readEnvoyConfig();
  return [...partsOf(whole)].flatMap(([part, value]) =>
    [...placesIn(value, part)].flatMap(({ name, steps }) => {
      const config = structuredClone(whole);
      const holder = holderOf(partsOf(config).get(part) ?? null, steps);
      const step = steps.at(-1) ?? '';
      if (!isWanted((holder as JsonObject)[step] ?? null)) return [];
      edit(holder, step);
      return [{ name, config }];
    }),
  );
}

const isScalar = (value: Json): boolean => typeof value !== 'object';

/** Those that doctor does not name. */
function unnamed(all: readonly Damage[]): readonly Damage[] {
  return all.filter(({ config }) => inspectEnvoy(dumpOf(config)).every(({ level }) => level === 'ok'));
}

/** Those of them that Envoy takes. */
async function accepted(all: readonly Damage[]): Promise<readonly string[]> {
  await using folder = await temporaryDirectory();
  const program = await envoyProgram();
  const names: string[] = [];
  const left = all.entries();
  const work = async (): Promise<void> => {
    for (const [index, { name, config }] of left) {
      const path = join(folder.path, `${String(index)}.json`);
      await writeFile(path, JSON.stringify(config));
      await using envoy = await startChild({
        command: program,
        args: ['--mode', 'validate', '--config-path', path, '--log-level', 'off'],
      });
      if ((await envoy.ended).code === 0) names.push(name);
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  return names.sort();
}

describe('every line of the chain in envoy.yaml', () => {
  const isHarmlessAltered = ({ name }: Damage): boolean => alterable.some(([, pattern]) => pattern.test(name));
  const isHarmless = ({ name }: Damage): boolean => harmless.some(([, pattern]) => pattern.test(name));

  it('is missed when it is taken out: doctor names it, or Envoy refuses the rest', async () => {
    const all = damages(take, () => true);
    assert.ok(all.length > 200, String(all.length));
    assert.deepEqual(await accepted(unnamed(all).filter((damage) => !isHarmless(damage))), []);
  }).timeout(300_000);

  it('is missed when it is altered: a switch turned over, a limit or time of 0, another text', async () => {
    const all = damages(alter, isScalar);
    assert.ok(all.length > 100, String(all.length));
    assert.deepEqual(await accepted(unnamed(all).filter((damage) => !isHarmlessAltered(damage))), []);
  }).timeout(300_000);
});
