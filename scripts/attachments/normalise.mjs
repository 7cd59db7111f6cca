// Makes what a control plane generates comparable: protobuf names, sorted, without what says nothing to Envoy.

/** Fields whose keys are chosen names, and not those of protobuf. */
const maps = new Set([
  'typed_per_filter_config',
  'typed_extension_protocol_options',
  'policies',
  'json_format',
  'filter_metadata',
]);

/** Fields with a word that begins with a digit, which the other spelling does not show. */
const withDigits = { ignoreHttp11Upgrade: 'ignore_http_11_upgrade' };

const snakeCase = (name) => withDigits[name] ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The same with sorted keys, and without labels that control planes put on resources for themselves. */
export function normalise(value) {
  return sorted(value, (name) => name, false);
}

function sorted(value, rename, isMap) {
  if (Array.isArray(value)) return value.map((item) => sorted(item, rename, false));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    const name = isMap || key.startsWith('@') ? key : rename(key);
    return [name, sorted(item, rename, maps.has(name))];
  });
  return Object.fromEntries(
    entries
      .filter(([name, item]) => isMap || name !== 'metadata' || !('filter_metadata' in item))
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/**
 * A whole resource of xDS in the other spelling of protobuf (`httpFilters`), normalised; its type is said by where it
 * stands.
 */
export function normaliseResource(resource) {
  const { '@type': _, ...rest } = sorted(resource, snakeCase, false);
  return rest;
}

/** The names of the clusters that anything in these resources leads to. */
export function clustersNamedIn(value) {
  if (Array.isArray(value)) return value.flatMap(clustersNamedIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    (key === 'cluster' || key === 'cluster_name') && typeof item === 'string' ? [item] : clustersNamedIn(item),
  );
}
