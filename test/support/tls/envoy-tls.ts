import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cluster, type JsonObject } from '../envoy-config.ts';
import { type SecretVolume } from './secret-volume.ts';

/** Where Envoy finds its secrets: files in the form of SDS, which name the files of a mounted Secret. */
export interface EnvoySecrets {
  readonly identity: string;
  readonly authorities: string;
}

const tls = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3';

/** Writes the secrets of docs/tls.md into a folder of their own. */
export async function writeEnvoySecrets(folder: string, secret: SecretVolume): Promise<EnvoySecrets> {
  await mkdir(folder);
  const write = async (name: string, resource: JsonObject): Promise<string> => {
    const path = join(folder, `${name}.json`);
    await writeFile(path, JSON.stringify({ resources: [{ '@type': `${tls}.Secret`, name, ...resource }] }));
    return path;
  };
  const watched_directory = { path: secret.path };
  return {
    identity: await write('envoy', {
      tls_certificate: {
        certificate_chain: { filename: secret.certificate },
        private_key: { filename: secret.key },
        watched_directory,
      },
    }),
    authorities: await write('postern-ca', {
      validation_context: { trusted_ca: { filename: secret.ca }, watched_directory },
    }),
  };
}

/** Makes Envoy call both of Postern's listeners over mutual TLS, with secrets that it follows. */
export function useFollowedTls(config: JsonObject, { identity, authorities }: EnvoySecrets): void {
  // Secrets by SDS want one, also from files.
  config['node'] = { id: 'envoy', cluster: 'envoy' };
  for (const [name, protocol] of [
    ['postern', 'h2'],
    ['postern-http', 'http/1.1'],
  ] as const) {
    cluster(config, name)['transport_socket'] = {
      name: 'envoy.transport_sockets.tls',
      typed_config: {
        '@type': `${tls}.UpstreamTlsContext`,
        sni: 'localhost',
        common_tls_context: {
          alpn_protocols: [protocol],
          tls_certificate_sds_secret_configs: [secretAt('envoy', identity)],
          combined_validation_context: {
            default_validation_context: {
              match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: 'localhost' } }],
            },
            validation_context_sds_secret_config: secretAt('postern-ca', authorities),
          },
        },
      },
    };
  }
}

function secretAt(name: string, path: string): JsonObject {
  return { name, sds_config: { path_config_source: { path }, resource_api_version: 'V3' } };
}
