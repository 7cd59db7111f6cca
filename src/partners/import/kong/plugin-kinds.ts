import type { KongCounterpart, KongCredentialKind } from '../../../check/methods/kong.ts';
import { methods } from '../../../check/methods/methods.ts';
import { type AuthenticationMethod, authenticationMethods } from '../../../model/endpoint.ts';

/** A method of Postern that Kong has a plugin for. */
export interface ImportedMethod extends KongCounterpart<AuthenticationMethod> {
  readonly method: AuthenticationMethod;
}

/** All of them, in the order of the methods. */
export const importedMethods: readonly ImportedMethod[] = authenticationMethods.flatMap((method) => {
  const { kong } = methods[method];
  return kong === null ? [] : [{ method, ...kong }];
});

/** The same in the order of preference: those whose App Key is the secret come last. */
export const preferredMethods: readonly ImportedMethod[] = [
  ...importedMethods.filter(({ credential }) => !isKeySecret(credential)),
  ...importedMethods.filter(({ credential }) => isKeySecret(credential)),
];

function isKeySecret(credential: KongCredentialKind): boolean {
  return credential.kind === 'app-key' && credential.appSecret === null;
}

/** Plugins that authenticate callers in ways that Postern does not support. */
const otherAuthentication: ReadonlySet<string> = new Set([
  ...['basic-auth', 'ldap-auth', 'session', 'key-auth-enc', 'openid-connect', 'mtls-auth', 'header-cert-auth'],
  ...['ldap-auth-advanced', 'oauth2-introspection', 'vault-auth', 'jwt-signer', 'saml', 'application-registration'],
  ...['ace', 'upstream-oauth', 'confluent'],
]);

/** Plugins that log, measure, trace or change what was let in; no caller gets in or is kept out by them. */
const bystanders: Readonly<Record<string, string>> = {
  ...sameFor('logs and metrics: Envoy’s access log and Postern’s metrics', [
    ...['file-log', 'http-log', 'tcp-log', 'udp-log', 'syslog', 'loggly', 'datadog', 'statsd', 'statsd-advanced'],
    ...['prometheus', 'zipkin', 'opentelemetry', 'kafka-log', 'app-dynamics', 'correlation-id'],
  ]),
  ...sameFor('header rules of Envoy’s routes, or its Lua filter', [
    ...['request-transformer', 'request-transformer-advanced', 'response-transformer'],
    ...['response-transformer-advanced', 'jq', 'route-transformer-advanced'],
  ]),
  ...sameFor('Envoy’s gRPC filters', ['grpc-web', 'grpc-gateway']),
  ...sameFor('Envoy’s cache filter', ['proxy-cache', 'proxy-cache-advanced']),
  ...sameFor('Envoy’s routes', ['canary', 'route-by-header', 'forward-proxy']),
  ...sameFor('Envoy’s TLS listeners and certificates', ['acme', 'tls-handshake-modifier', 'tls-metadata-headers']),
};

/** What a plugin means for who gets in. */
export type PluginKind =
  | { readonly kind: 'authentication' }
  | { readonly kind: 'other-authentication' }
  | { readonly kind: 'acl' | 'limit' | 'cors' | 'termination' }
  | { readonly kind: 'bystander'; readonly instead: string }
  /** It may keep requests out; unknown plugins count as such. */
  | { readonly kind: 'restricting'; readonly instead: string };

/** What stands in for plugins that keep requests out. */
const restricting: Readonly<Record<string, string>> = {
  'ip-restriction':
    'Envoy’s RBAC filter before ext_authz, with the addresses as principals, or "allowFrom" of every consumer',
  'bot-detection': 'Envoy’s RBAC filter before ext_authz, with rules on the user-agent header',
  'request-size-limiting': 'the buffer filter of Envoy’s route (max_request_bytes)',
  'response-ratelimiting': 'Envoy’s rate limit filter',
  redirect: 'a redirect in Envoy’s route',
  'aws-lambda': 'a route of Envoy that leads to the function',
  'azure-functions': 'a route of Envoy that leads to the function',
  'pre-function': 'read its code: whatever it refuses must be refused before, by Envoy',
  'post-function': 'read its code: whatever it refuses must be refused before, by Envoy',
};

/** Sorts a plugin by its name. What is not known keeps its route closed. */
export function kindOfPlugin(name: string): PluginKind {
  if (importedMethods.some(({ plugin }) => plugin === name)) return { kind: 'authentication' };
  if (otherAuthentication.has(name)) return { kind: 'other-authentication' };
  if (name === 'acl' || name === 'cors') return { kind: name };
  if (name === 'rate-limiting' || name === 'rate-limiting-advanced') return { kind: 'limit' };
  if (name === 'request-termination') return { kind: 'termination' };
  const bystander = Object.hasOwn(bystanders, name) ? bystanders[name] : undefined;
  if (bystander !== undefined) return { kind: 'bystander', instead: bystander };
  const known = Object.hasOwn(restricting, name) ? restricting[name] : undefined;
  return { kind: 'restricting', instead: known ?? 'do in Envoy, before ext_authz, what it does' };
}

function sameFor(instead: string, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, instead]));
}
