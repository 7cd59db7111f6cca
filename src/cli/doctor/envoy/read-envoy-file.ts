import { isJsonObject, type JsonObject, objectIn, parseJson } from '../../../model/document/json.ts';
import { readYamlTree } from '../../../model/document/yaml-tree.ts';

/** The text of a file of Envoy's configuration. */
export interface EnvoyFile {
  readonly name: string;
  readonly text: string;
}

/** What such a file holds, as `/config_dump` shows it; `elsewhere` names what a control plane would send. */
export type ReadEnvoyFile =
  | { readonly dump: JsonObject; readonly elsewhere: readonly string[] }
  | { readonly problem: string };

/** Parts of a bootstrap configuration, one of which is there. */
const BOOTSTRAP_PARTS = ['static_resources', 'dynamic_resources'];

/**
 * Reads a bootstrap configuration or a config dump, in JSON or YAML, with names as in YAML or as in protobuf's JSON.
 */
export function readEnvoyFile({ name, text }: EnvoyFile): ReadEnvoyFile {
  const json = /^\s*\{/.test(text) ? parseJson(text) : undefined;
  if (json !== undefined) return readValue(json);
  const tree = readYamlTree({ file: name, text });
  const [first] = [...tree.syntaxFaults, ...tree.treeFaults];
  if (first !== undefined) return { problem: `line ${String(tree.positionOf(first.offset).line)}: ${first.message}` };
  return readValue(tree.value);
}

function readValue(value: unknown): ReadEnvoyFile {
  const isProtobuf = /"(staticResources|dynamicResources|typedConfig)":/.test(JSON.stringify(value));
  const read = objectIn(isProtobuf ? withSnakeCase(value) : value);
  if (Array.isArray(read['configs'])) return { dump: read, elsewhere: [] };
  if (!BOOTSTRAP_PARTS.some((part) => part in read)) {
    return { problem: 'it is neither a bootstrap configuration nor a config dump of Envoy' };
  }
  const sources = objectIn(read, 'dynamic_resources');
  const elsewhere = [
    ...('lds_config' in sources ? ['listeners'] : []),
    ...('cds_config' in sources ? ['clusters'] : []),
  ];
  return { dump: dumpOf(read), elsewhere };
}

function dumpOf(bootstrap: JsonObject): JsonObject {
  const type = 'type.googleapis.com/envoy.admin.v3.';
  const part = (name: string, wrapper: string): readonly JsonObject[] => {
    const list = objectIn(bootstrap, 'static_resources')[name];
    return Array.isArray(list) ? list.map((each: unknown) => ({ [wrapper]: each })) : [];
  };
  return {
    configs: [
      { '@type': `${type}BootstrapConfigDump`, bootstrap },
      { '@type': `${type}ClustersConfigDump`, static_clusters: part('clusters', 'cluster') },
      { '@type': `${type}ListenersConfigDump`, static_listeners: part('listeners', 'listener') },
    ],
  };
}

/** Maps whose keys are an operator's own words, such as names of filters. */
const OWN_KEYS = ['typedPerFilterConfig', 'typedExtensionProtocolOptions', 'contextExtensions', 'policies'];
const LOWER_CAMEL = /^[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+$/;

/** Fields with a word that begins with a digit, which protobuf's JSON does not show. */
const WITH_DIGITS: Readonly<Record<string, string>> = { ignoreHttp11Upgrade: 'ignore_http_11_upgrade' };

function snakeCase(name: string): string {
  return WITH_DIGITS[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Field names as in YAML: protobuf's JSON, which tools of control planes print, has `staticResources`. */
function withSnakeCase(value: unknown, isOwn = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withSnakeCase(each));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      !isOwn && LOWER_CAMEL.test(key) ? snakeCase(key) : key,
      key === 'jsonFormat' ? each : withSnakeCase(each, OWN_KEYS.includes(key)),
    ]),
  );
}
