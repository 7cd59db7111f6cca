import { readFile } from 'node:fs/promises';
import { packageFiles } from '../programs/servers.ts';
import { DemoFailure } from './demo-failure.ts';
import { defaultDemoPorts, type DemoPortName, type DemoPorts } from './demo-ports.ts';

const names = Object.keys(defaultDemoPorts) as DemoPortName[];

/** Gives the arguments that make Envoy run the committed envoy.yaml: the file as it is, or its text with other ports. */
export async function envoyConfigArguments(ports: DemoPorts): Promise<readonly string[]> {
  if (names.every((name) => ports[name] === defaultDemoPorts[name])) return ['--config-path', packageFiles.envoyYaml];
  return ['--config-yaml', replacePorts(await readFile(packageFiles.envoyYaml, 'utf8'), ports)];
}

/** The configuration with other ports and nothing else changed. Postern's admin port is not in it. */
export function replacePorts(envoyYaml: string, ports: DemoPorts): string {
  const missing = new Set<DemoPortName>(names.filter((name) => name !== 'posternAdmin'));
  const text = envoyYaml.replace(/(?<=\bport_value: )\d+/g, (digits) => {
    const name = names.find((candidate) => defaultDemoPorts[candidate] === Number(digits));
    if (name === undefined) return digits;
    missing.delete(name);
    return String(ports[name]);
  });
  if (missing.size === 0) return text;
  const lacking = [...missing].map((name) => defaultDemoPorts[name]).join(', ');
  throw new DemoFailure(
    `envoy.yaml was changed: it no longer has the port ${lacking}, which the demo replaces. ` +
      'Run the demo without --port-base, or with the envoy.yaml of this version.',
  );
}
