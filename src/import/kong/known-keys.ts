const common = ['id', 'created_at', 'updated_at', 'tags', 'ws_id'];

/** The keys of a service (Kong's kong/db/schema/entities/services.lua), with what can be nested in it. */
export const serviceKeys: ReadonlySet<string> = new Set([
  ...common,
  ...['name', 'retries', 'protocol', 'host', 'port', 'path', 'url', 'connect_timeout', 'write_timeout', 'read_timeout'],
  ...['client_certificate', 'tls_verify', 'tls_verify_depth', 'tls_sans', 'ca_certificates', 'enabled'],
  ...['routes', 'plugins', 'filter_chains'],
]);

/** The keys of a route (kong/db/schema/entities/routes.lua) that say nothing about which requests it takes, or are read. */
export const routeKeys: ReadonlySet<string> = new Set([
  ...common,
  ...['name', 'service', 'protocols', 'hosts', 'paths', 'methods', 'regex_priority', 'strip_path', 'path_handling'],
  ...['https_redirect_status_code', 'preserve_host', 'request_buffering', 'response_buffering'],
  ...['headers', 'priority', 'plugins', 'filter_chains'],
]);

/** The keys of a consumer, with what can be nested in it. */
export const consumerKeys: ReadonlySet<string> = new Set([
  ...common,
  ...['username', 'custom_id', 'plugins', 'groups', 'acls'],
  ...['keyauth_credentials', 'hmacauth_credentials', 'oauth2_credentials'],
]);

/** The keys of a plugin that change nothing of when or how it decides, or are read. */
export const pluginKeys: ReadonlySet<string> = new Set([
  ...common,
  ...['name', 'instance_name', 'route', 'service', 'consumer', 'consumer_group', 'config', 'protocols', 'enabled'],
  ...['run_on', 'ordering', 'partials'],
]);

/** Lists at the top of the file that are read. */
export const readLists: ReadonlySet<string> = new Set([
  ...['services', 'routes', 'consumers', 'plugins', 'acls', 'consumer_groups', 'consumer_group_consumers'],
  ...['consumer_group_plugins', 'filter_chains'],
  ...['keyauth_credentials', 'hmacauth_credentials', 'oauth2_credentials'],
]);

/** Lists about upstreams and certificates, whose place is Envoy's configuration. */
export const envoyLists: ReadonlySet<string> = new Set([
  ...['upstreams', 'targets', 'certificates', 'ca_certificates', 'snis'],
]);

/** Lists of things that Postern has no use for. */
export const idleLists: ReadonlySet<string> = new Set([
  ...['vaults', 'keys', 'key_sets', 'workspaces', 'parameters', 'clustering_data_planes', 'tags', 'licenses'],
  ...['rbac_roles', 'rbac_users', 'partials', 'plugins_partials', 'oauth2_authorization_codes', 'sni'],
]);

/** Credentials that no authentication method of Postern takes. */
export const foreignCredentials: Readonly<Record<string, string>> = {
  basicauth_credentials: 'basic-auth',
  jwt_secrets: 'jwt',
  mtls_auth_credentials: 'mtls-auth',
  keyauth_enc_credentials: 'key-auth-enc',
  oauth2_tokens: 'oauth2',
};
