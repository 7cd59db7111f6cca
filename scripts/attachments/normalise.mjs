// Makes what a control plane generates comparable: protobuf names, sorted, without what says nothing to Envoy.

/** Fields whose keys are names that somebody chose, and not those of protobuf. */
const maps = new Set([
  'typed_per_filter_config',
  'typed_extension_protocol_options',
  'policies',
  'json_format',
  'filter_metadata',
]);

const snakeCase = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Takes JSON in either spelling of protobuf (`httpFilters`, `http_filters`) to the second one, keys sorted. */
export function normalise(value, isMap = false) {
  if (Array.isArray(value)) return value.map((item) => normalise(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    const name = isMap || key.startsWith('@') ? key : snakeCase(key);
    return [name, normalise(item, maps.has(name))];
  });
  return Object.fromEntries(
    // Labels that control planes put on resources for themselves.
    entries
      .filter(([name, item]) => isMap || name !== 'metadata' || !('filter_metadata' in item))
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/** A whole resource of xDS, normalised; its type is said by where it stands. */
export function normaliseResource(resource) {
  const { '@type': _, ...rest } = normalise(resource);
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
