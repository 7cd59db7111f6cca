// The Envoy configuration of deploy/compose: envoy.yaml with the differences below and no others, so that what the
// tests show of one holds for the other. A test compares; after a change of envoy.yaml:
//
//   node scripts/compose/envoy-yaml.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const header = `# Envoy in front of Postern, in containers. Generated from envoy.yaml by scripts/compose/envoy-yaml.mjs: edit that file.
# Differences: addresses, which are names of services. The port is published on this machine's loopback only, and the admin
# interface nowhere.
`;

/** Each must be there exactly once; what comes in its place. */
export const differences = [
  [/^(?:#.*\n)+/, header],
  ['address: 127.0.0.1, port_value: 10000 }', 'address: 0.0.0.0, port_value: 10000 }'],
  ['address: 127.0.0.1, port_value: 9001 }', 'address: postern, port_value: 9001 }'],
  ['address: 127.0.0.1, port_value: 9002 }', 'address: postern, port_value: 9002 }'],
  ['address: 127.0.0.1, port_value: 8080 }', 'address: backend, port_value: 8080 }'],
];

/** The text of deploy/compose/envoy.yaml, from the text of envoy.yaml. */
export function composeEnvoy(envoyYaml) {
  return differences.reduce((before, [found, instead]) => {
    const count = typeof found === 'string' ? before.split(found).length - 1 : (before.match(found)?.length ?? 0);
    if (count !== 1) throw new Error(`envoy.yaml has ${count} times, not once: ${found}`);
    return before.replace(found, () => instead);
  }, envoyYaml);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(pathOf('deploy/compose/envoy.yaml'), composeEnvoy(readFileSync(pathOf('envoy.yaml'), 'utf8')));
}
