import { replaceFound } from './text-blocks.ts';

/** With files that hold what Kubernetes and cert-manager put into a Secret for TLS. */
const transportSocket = (folder: string): string => {
  const file = (name: string): string => JSON.stringify(`${folder.replace(/\/+$/, '')}/${name}`);
  return `        - transport_socket: # replace yours, if you have one
            name: envoy.transport_sockets.tls
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
              require_client_certificate: false # true where every endpoint takes certificates
              common_tls_context:
                alpn_protocols: [h2, http/1.1]
                tls_certificates:
                  - certificate_chain: { filename: ${file('tls.crt')} }
                    private_key: { filename: ${file('tls.key')} }
                validation_context: # without it Envoy asks nobody for a certificate
                  trusted_ca: { filename: ${file('ca.crt')} } # of all partners
                  # crl: { filename: ${file('ca.crl')} }
          filters:
`;
};

const FORWARDED = `# Removes what a caller sent. Envoy's own word binds access tokens to certificates, where that is on.`;

/** Parts of envoy.yaml whose listener ends mutual TLS with the files of a folder on Envoy's machine. */
export function withMutualTls(envoyYaml: string, folder: string): string {
  const asking = replaceFound(envoyYaml, /^ {8}- filters:\n/gm, transportSocket(folder));
  const indent = ' '.repeat(16);
  const forwarded = `${indent}${FORWARDED}\n${indent}forward_client_cert_details: SANITIZE_SET\n`;
  return replaceFound(asking, /(?<=^ {16}use_remote_address: true.*\n)/gm, forwarded);
}

/** `gateway.yaml` of the overlay for Istio, asking callers for certificates. */
export function withMutualTlsOfIstio(gateway: string): string {
  return replaceFound(
    gateway,
    /mode: SIMPLE\n/g,
    'mode: OPTIONAL_MUTUAL # MUTUAL where every endpoint takes certificates; ca.crt of the Secret: of all partners\n',
  );
}

/** `traffic-policies.yaml` of the overlay for Envoy Gateway, asking callers for certificates. */
export function withMutualTlsOfEnvoyGateway(policies: string): string {
  const validation = `  tls:
    clientValidation:
      optional: true # false where every endpoint takes certificates
      caCertificateRefs: # its ca.crt: the authorities of all partners
        - { group: "", kind: ConfigMap, name: partners-authorities }
`;
  const asking = replaceFound(policies, /(?=^ {2}path:\n {4}disableMergeSlashes)/gm, validation);
  const forwarded = `    ${FORWARDED}\n    xForwardedClientCert: { mode: SanitizeSet }\n`;
  return replaceFound(asking, /(?<=^ {2}headers:\n)/gm, forwarded);
}
