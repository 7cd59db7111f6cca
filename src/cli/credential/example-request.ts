import type { ManagedCredential } from '../../manage/resource.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import type { PartnerEndpoint } from '../../model/endpoint.ts';
import { isRefusal } from '../../refusal.ts';
import { curlCommand } from '../partner/curl-command.ts';
import { readRequestArguments } from '../partner/request-arguments.ts';
import { signRequest } from '../partner/sign-request.ts';

/** A request that an endpoint takes. */
interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  /** For an endpoint that looks at hosts; null for any. */
  readonly host: string | null;
}

/**
 * Commands that a person can copy to try a credential on an endpoint. They take the secret from the environment, because
 * `ps` and the shell's history show command lines. `publicUrl` is where callers reach Envoy.
 */
export function exampleCommands(
  { methods, appKey }: ManagedCredential,
  endpoint: PartnerEndpoint,
  publicUrl: string,
): readonly string[] {
  const { method, url, host } = requestFor(endpoint, publicUrl);
  const secretName = isAppKeySecret(methods) || endpoint.authentication === 'key' ? 'APP_KEY' : 'APP_SECRET';
  const read = `read -rs ${secretName} && export ${secretName}`;
  const publicKey = isAppKeySecret(methods) || appKey === null ? null : appKey.reveal().toString('utf8');
  const hostFlag = host === null ? '' : ` -H 'Host: ${host}'`;
  if (endpoint.authentication === 'oauth2') {
    const token = `curl -sS -K - -d grant_type=client_credentials ${publicUrl}/oauth2/token`;
    return [
      read,
      `printf 'user = "%s:%s"\\n' ${publicKey ?? 'APP_KEY'} "$${secretName}" | ${token}`,
      `curl -i -sS -X ${method}${hostFlag} ${quote(url)} -H "Authorization: Bearer $TOKEN"   # the access_token of that answer`,
    ];
  }
  const key = endpoint.authentication === 'key' || publicKey === null ? '' : ` --app-key ${publicKey}`;
  const sign = `postern sign ${method} ${quote(url)}${hostFlag} --endpoint ${endpoint.id}${key}`;
  return [read, `${sign} --secret-from env:${secretName} | sh`];
}

/**
 * The example as a `curl` command that is signed with the credential, valid for as long as the endpoint's clock skew.
 * Null where nothing can be signed: OAuth2, and an App Key of which only the hash is kept.
 */
export function signedExample(
  { appKey, appSecret }: ManagedCredential,
  endpoint: PartnerEndpoint,
  publicUrl: string,
  nowSeconds: number,
): string | null {
  const secret = endpoint.authentication === 'key' ? appKey : appSecret;
  if (endpoint.authentication === 'oauth2' || secret === null || appKey === null) return null;
  const { method, url, host } = requestFor(endpoint, publicUrl);
  const { request, origin } = readRequestArguments({
    method,
    url,
    headers: host === null ? [] : [`Host: ${host}`],
    data: null,
  });
  const signed = signRequest(request, endpoint, {
    appKey: appKey.reveal().toString('utf8'),
    secret: secret.reveal().toString('utf8'),
    alsoSigned: [],
    nowSeconds,
  });
  return isRefusal(signed) ? null : curlCommand(signed, origin);
}

function requestFor({ match: { hosts, paths, methods } }: PartnerEndpoint, publicUrl: string): ExampleRequest {
  const [rule] = paths;
  const path = rule === undefined ? '/' : 'prefix' in rule ? rule.prefix : rule.exact;
  const [host = null] = hosts;
  return {
    method: methods[0] ?? 'GET',
    url: `${publicUrl}${path}`,
    host: host?.startsWith('*.') === true ? `api${host.slice(1)}` : host,
  };
}

function quote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
