import { fileURLToPath } from 'node:url';
import {
  loadSync,
  type MessageTypeDefinition,
  type MethodDefinition,
  type PackageDefinition,
} from '@grpc/proto-loader';

const definitions = fileURLToPath(new URL('../../../node_modules/@grpc/grpc-js-xds/deps', import.meta.url));
const healthDefinitions = fileURLToPath(new URL('../../../node_modules/grpc-health-check/proto', import.meta.url));
const ownDefinitions = fileURLToPath(new URL('../../../proto', import.meta.url));

const files = ['envoy/service/auth/v3/external_auth.proto', 'envoy/service/ratelimit/v3/rls.proto'];

/** The messages and services that Envoy and gRPC publish, by full name. */
export function loadUpstreamDefinitions(): PackageDefinition {
  const includeDirs = ['envoy-api', 'googleapis', 'protoc-gen-validate', 'xds'].map((name) => `${definitions}/${name}`);
  return {
    ...load([...files], includeDirs),
    ...load(['health/v1/health.proto'], [healthDefinitions]),
  };
}

/** Our own minimal definitions below `proto/`, by full name. */
export function loadOwnDefinitions(): PackageDefinition {
  return load([...files, 'grpc/health/v1/health.proto'], [ownDefinitions]);
}

/** A method of a service, as the definitions give it: how its messages are written and read. */
export function methodOf(definitionsByName: PackageDefinition, service: string, method: string) {
  const found = definitionsByName[service] as Record<string, MethodDefinition<object, object>> | undefined;
  const definition = found?.[method];
  if (definition === undefined) throw new Error(`no method ${service}/${method}`);
  return definition;
}

/** Distinguishes messages from enums and services. */
export function isMessage(definition: PackageDefinition[string]): definition is MessageTypeDefinition<object, object> {
  return 'format' in definition && definition.format === 'Protocol Buffer 3 DescriptorProto';
}

function load(names: string[], includeDirs: string[]): PackageDefinition {
  return loadSync(names, {
    includeDirs,
    keepCase: true,
    longs: Number,
    bytes: Buffer,
    defaults: true,
    oneofs: true,
  });
}
