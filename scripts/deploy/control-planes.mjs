// What the manifests for Istio and Envoy Gateway have in common with envoy.yaml, word for word: rules that are written
// once, there. A test compares; after a change of envoy.yaml:
//
//   node scripts/deploy/control-planes.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const widthOf = (line) => line.length - line.trimStart().length;

/** Where the lines below a key stand: those that are deeper than it, without blank lines at the end. */
function rangeBelow(lines, name, key, after = 0) {
  const found = lines.findIndex((line, index) => index >= after && line.trimStart().startsWith(key));
  if (found < 0) throw new Error(`${name} has no "${key}"`);
  let end = found + 1;
  while (end < lines.length && (lines[end].trim() === '' || widthOf(lines[end]) > widthOf(lines[found]))) end += 1;
  while (lines[end - 1].trim() === '') end -= 1;
  return [found + 1, end];
}

/** The lines below a key, `key` being what the line begins with, the first one after a line that holds `below`. */
function linesBelow(name, text, { below, key }) {
  const lines = text.split('\n');
  const after = lines.findIndex((line) => line.includes(below));
  if (after < 0) throw new Error(`${name} has no "${below}"`);
  return { lines, range: rangeBelow(lines, name, key, after) };
}

/** Puts the lines that envoy.yaml has below a key in place of those that a manifest has there. */
function copyBelow(envoyYaml, name, text, source, target = source) {
  const from = linesBelow('envoy.yaml', envoyYaml, source);
  const block = from.lines.slice(...from.range);
  const { lines, range } = linesBelow(name, text, target);
  const keyWidth = widthOf(lines[range[0] - 1]);
  const shift = keyWidth + 2 - Math.min(...block.filter((line) => line.trim() !== '').map(widthOf));
  const moved = block.map((line) =>
    line.trim() === '' ? '' : shift < 0 ? line.slice(-shift) : ' '.repeat(shift) + line,
  );
  lines.splice(range[0], range[1] - range[0], ...moved);
  return lines.join('\n');
}

const upgrades = { below: 'use_remote_address', key: 'http_protocol_options:' };
const mappers = { below: 'local_reply_config', key: 'mappers:' };
const script = { below: 'name: postern.unwrap', key: 'inline_string:' };
const noRoute = { below: 'name: postern.no-route', key: 'typed_config:' };
const guard = { below: 'name: postern.guard', key: 'decided-by-postern:' };

/** The manifests by path below deploy, and what each has from envoy.yaml: where it stands there, and where here. */
const shared = {
  'overlays/istio/envoy-filter.yaml': [
    [{ below: 'early_header_mutation_extensions', key: 'mutations:' }],
    [
      { below: 'use_remote_address', key: 'http2_protocol_options:' },
      { below: 'stream_idle', key: 'http2_protocol_options:' },
    ],
    [upgrades, { below: 'stream_idle', key: 'http_protocol_options:' }],
    [mappers],
    [
      { below: 'name: envoy.filters.http.ext_authz', key: 'retry_policy:' },
      { below: 'subFilter: { name: envoy.filters.http.ext_authz }', key: 'retry_policy:' },
    ],
    [script],
    [noRoute],
    [guard],
  ],
  'overlays/envoy-gateway/patch-policy.yaml': [
    [upgrades, { below: 'path: http_protocol_options', key: 'value:' }],
    [mappers, { below: 'path: local_reply_config', key: 'mappers:' }],
    [noRoute],
    [guard],
  ],
  'overlays/envoy-gateway/extension-policy.yaml': [[script, { below: 'lua:', key: 'inline:' }]],
};

/** Every manifest that has parts of envoy.yaml, by its path below deploy. */
export const sharedManifests = Object.keys(shared);

/** A manifest with the parts of envoy.yaml as they are there. */
export function withSharedParts(path, manifest, envoyYaml) {
  return shared[path].reduce((text, [from, to]) => copyBelow(envoyYaml, path, text, from, to), manifest);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const envoyYaml = readFileSync(pathOf('envoy.yaml'), 'utf8');
  for (const path of sharedManifests) {
    const file = pathOf(`deploy/${path}`);
    writeFileSync(file, withSharedParts(path, readFileSync(file, 'utf8'), envoyYaml));
  }
}
