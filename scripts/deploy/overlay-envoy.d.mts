/** The Envoy configuration of deploy/overlays/plain-envoy, from the text of envoy.yaml. */
export function overlayEnvoy(envoyYaml: string): string;
/** The same with mutual TLS to both of Postern's listeners, of deploy/components/tls-envoy. */
export function tlsEnvoy(envoyYaml: string): string;
/** The listener with mutual TLS for partners, of deploy/components/mutual-tls-envoy. */
export function mutualTlsListener(envoyYaml: string): string;
