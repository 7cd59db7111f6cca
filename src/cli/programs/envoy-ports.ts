/** The ports of envoy.yaml by what listens there (interfaces §2). */
export const envoyYamlPorts = {
  envoy: 10000,
  envoyAdmin: 9901,
  posternGrpc: 9001,
  posternHttp: 9002,
  backend: 8080,
} as const;

type PortName = keyof typeof envoyYamlPorts;

/**
 * The text of a configuration with the ports of envoy.yaml, YAML or JSON, with other ports and nothing else changed; or
 * which of those ports it does not have.
 */
export function replacePorts(
  config: string,
  ports: Readonly<Record<PortName, number>>,
): string | { readonly missing: readonly number[] } {
  const names = Object.keys(envoyYamlPorts) as PortName[];
  const missing = new Set<number>(Object.values(envoyYamlPorts));
  const text = config.replace(/(?<=\bport_value"?: ?)\d+/g, (digits) => {
    const name = names.find((candidate) => envoyYamlPorts[candidate] === Number(digits));
    if (name === undefined) return digits;
    missing.delete(envoyYamlPorts[name]);
    return String(ports[name]);
  });
  return missing.size === 0 ? text : { missing: [...missing] };
}
