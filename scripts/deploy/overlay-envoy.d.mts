/** The Envoy configuration of deploy/overlays/plain-envoy, from the text of envoy.yaml. */
export function overlayEnvoy(envoyYaml: string): string;
