import { isUtf8 } from 'node:buffer';
import type { Endpoint } from '../../model/endpoint.ts';
import { Secret } from '../../model/secret.ts';
import { isRefusal, type Refusal, refuse } from '../../refusal.ts';
import { parseAuthority } from '../../receive/host.ts';
import { parseTarget } from '../../receive/path.ts';
import { type ClientRequest, withHeaders } from '../../signing/client-request.ts';
import { signHmac } from '../../methods/hmac/sign.ts';
import { signParameters } from '../../methods/parameter-signature/sign.ts';
import { UsageError } from '../failure.ts';

/** With what a request is signed. */
interface Signing {
  /** Null for `key` endpoints, where the App Key is the secret. */
  readonly appKey: string | null;
  readonly secret: string;
  /** Headers that an hmac signature covers besides those it must. */
  readonly alsoSigned: readonly string[];
  readonly nowSeconds: number;
}

/**
 * Gives a request the credentials that an endpoint wants, as a partner would. A refusal is what the gateway would say
 * to it. Throws {@link UsageError} where there is nothing to sign: open and oauth2 endpoints, or a missing App Key.
 */
export function signRequest(request: ClientRequest, endpoint: Endpoint, signing: Signing): ClientRequest | Refusal {
  const signed = giveCredentials(request, endpoint, signing);
  return isRefusal(signed) ? signed : (refuseTarget(request) ?? signed);
}

/** What the gateway refuses on every endpoint, whoever calls (spec §2.1). */
function refuseTarget(request: ClientRequest): Refusal | null {
  if (request.method === 'CONNECT') return refuse('PATH_NOT_NORMAL', 'the target of CONNECT is not a path');
  const target = parseTarget(request.path);
  if ('reason' in target) return refuse('PATH_NOT_NORMAL', target.reason);
  return parseAuthority(request.authority) === null
    ? refuse('MALFORMED_REQUEST', 'the authority is not host[:port]')
    : null;
}

function giveCredentials(request: ClientRequest, endpoint: Endpoint, signing: Signing): ClientRequest | Refusal {
  switch (endpoint.authentication) {
    case null:
      throw new UsageError(`the endpoint ${endpoint.id} is open: it takes requests without credentials`);
    case 'oauth2':
      throw new UsageError(`the endpoint ${endpoint.id} takes access tokens, which are fetched, not signed`);
    case 'key':
      return carryKey(request, endpoint.options.keyNames[0] ?? { header: 'X-App-Key' }, signing.secret);
    case 'hmac':
      return signHmac(request, {
        appKey: appKeyOf(signing),
        secret: Secret.fromText(signing.secret),
        algorithm: endpoint.options.algorithms[0] ?? 'hmac-sha256',
        alsoSigned: signing.alsoSigned.map((name) => name.toLowerCase()),
        nowSeconds: signing.nowSeconds,
      });
    case 'parameter-signature':
      return signParameters(request, {
        appKey: appKeyOf(signing),
        secret: Secret.fromText(signing.secret),
        timestampSeconds: signing.nowSeconds,
        options: endpoint.options,
      });
  }
}

function appKeyOf({ appKey }: Signing): string {
  if (appKey === null) throw new UsageError('--app-key is missing: signatures name the App Key they belong to');
  return appKey;
}

/** Puts the App Key where the endpoint looks first. */
function carryKey(
  request: ClientRequest,
  carrier: { readonly query: string } | { readonly header: string },
  key: string,
): ClientRequest {
  if ('header' in carrier) return withHeaders(request, [[carrier.header, key]]);
  const parameter = `${encodeURIComponent(carrier.query)}=${encodeURIComponent(key)}`;
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${parameter}` };
}

/** What fits into one argument everywhere, with room to spare (Linux: 128 KiB, MAX_ARG_STRLEN). */
const MAX_ARGUMENT_BYTES = 65_536;

/** Writes a request as a `curl` command for a POSIX shell, which sends exactly these bytes. */
export function curlCommand(request: ClientRequest, origin: string): string {
  const { method, path, headers, body } = request;
  const parts = [
    `curl -i -sS ${method === 'HEAD' ? '--head' : `-X ${quote(method)}`} --path-as-is --globoff ${quote(origin + path)}`,
    ...headers.map(([name, value]) => `-H ${quote(headerArgument(name, value))}`),
  ];
  if (body.length === 0) return parts.join(JOIN);
  if (isPlain(body)) return [...parts, `--data-binary ${quote(body.toString('utf8'))}`].join(JOIN);
  return `printf %s ${quote(body.toString('base64'))} | base64 -d | ${[...parts, '--data-binary @-'].join(JOIN)}`;
}

const JOIN = ' \\\n  ';

/** curl takes `Name:` for "leave this header out", and `Name;` for an empty one. */
function headerArgument(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${Buffer.from(value, 'latin1').toString('utf8')}`;
}

/** Whether a body can stand in the command as it is. curl takes a leading `@` for a file. */
function isPlain(body: Buffer): boolean {
  return (
    body.length <= MAX_ARGUMENT_BYTES &&
    isUtf8(body) &&
    !body.includes(0) &&
    !body.toString('latin1', 0, 1).startsWith('@')
  );
}

function quote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
