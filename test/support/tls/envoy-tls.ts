import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cluster, type JsonObject } from '../envoy/envoy-config.ts';
import { type SecretVolume } from './secret-volume.ts';

/** Where Envoy finds its secrets: files in the form of SDS, which name the files of a mounted Secret. */
export interface EnvoySecrets {
  readonly identity: string;
  readonly authorities: string;
}

const tls = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3';

/** Envoy's certificate and key as a file of SDS, read again when something is moved into the folder. */
export function identitySecret(certificate: string, key: string, folder: string): JsonObject {
  return secret('envoy', {
    tls_certificate: {
      certificate_chain: { filename: certificate },
      private_key: { filename: key },
      watched_directory: { path: folder },
    },
  });
}

/** Whom Envoy trusts, as a file of SDS. */
export function authoritiesSecret(ca: string, folder: string): JsonObject {
  return secret('postern-ca', {
    validation_context: { trusted_ca: { filename: ca }, watched_directory: { path: folder } },
  });
}

/** Writes both for a mounted Secret into a folder of their own. */
export async function writeEnvoySecrets(folder: string, mounted: SecretVolume): Promise<EnvoySecrets> {
  await mkdir(folder);
  const places = { identity: join(folder, 'identity.json'), authorities: join(folder, 'authorities.json') };
  const identity = identitySecret(mounted.certificate, mounted.key, mounted.path);
  await writeFile(places.identity, JSON.stringify(identity));
  await writeFile(places.authorities, JSON.stringify(authoritiesSecret(mounted.ca, mounted.path)));
  return places;
}

/** Makes Envoy call both of Postern's listeners over mutual TLS, with secrets that it follows. */
export function useFollowedTls(config: JsonObject, places: EnvoySecrets): void {
  // Secrets by SDS want one, also from files.
  config['node'] = { id: 'envoy', cluster: 'envoy' };
  cluster(config, 'postern')['transport_socket'] = transportSocket(places, 'localhost', 'h2');
  cluster(config, 'postern-http')['transport_socket'] = transportSocket(places, 'localhost', 'http/1.1');
}

/** The TLS of a cluster, to a Postern of this name. */
export function transportSocket(
  { identity, authorities }: EnvoySecrets,
  name: string,
  protocol: 'h2' | 'http/1.1',
): JsonObject {
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': `${tls}.UpstreamTlsContext`,
      sni: name,
      common_tls_context: {
        alpn_protocols: [protocol],
        tls_certificate_sds_secret_configs: [secretAt('envoy', identity)],
        combined_validation_context: {
          default_validation_context: {
            match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: name } }],
          },
          validation_context_sds_secret_config: secretAt('postern-ca', authorities),
        },
      },
    },
  };
}

function secret(name: string, content: JsonObject): JsonObject {
  return { resources: [{ '@type': `${tls}.Secret`, name, ...content }] };
}

function secretAt(name: string, path: string): JsonObject {
  return { name, sds_config: { path_config_source: { path }, resource_api_version: 'V3' } };
}
