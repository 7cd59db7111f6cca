import { isUtf8 } from 'node:buffer';
import { gatewayRequest } from '../../methods/explanation/gateway-request.ts';
import type { Signing } from '../../methods/method.ts';
import { methods } from '../../methods/methods.ts';
import type { AuthenticationMethod, Endpoint, PartnerEndpointOf } from '../../model/endpoint.ts';
import { Secret } from '../../model/secret.ts';
import { receive } from '../../receive/receive.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { ClientRequest } from '../../signing/client-request.ts';
import { UsageError } from '../failure.ts';

/** What a command is given to sign with. */
interface GivenCredentials extends Pick<Signing, 'alsoSigned' | 'nowSeconds'> {
  /** Null for `key` endpoints, where the App Key is the secret. */
  readonly appKey: string | null;
  readonly secret: string;
}

/**
 * Gives a request the credentials that an endpoint wants, as a partner would. A refusal is what the gateway would say
 * to it. Throws {@link UsageError} where there is nothing to sign: open and oauth2 endpoints, or a missing App Key.
 */
export function signRequest(
  request: ClientRequest,
  endpoint: Endpoint,
  given: GivenCredentials,
): ClientRequest | Refusal {
  if (endpoint.authentication === null) {
    throw new UsageError(`the endpoint ${endpoint.id} is open: it takes requests without credentials`);
  }
  const signed = signFor(endpoint, request, given);
  if (isRefusal(signed)) return signed;
  const received = receive(gatewayRequest(signed));
  return isRefusal(received) ? received : signed;
}

function signFor<M extends AuthenticationMethod>(
  { id, authentication, options }: PartnerEndpointOf<M>,
  request: ClientRequest,
  given: GivenCredentials,
): ClientRequest | Refusal {
  const { proof, sign } = methods[authentication];
  if (sign === null) {
    throw new UsageError(`the endpoint ${id} takes access tokens, which are fetched, not signed`);
  }
  const appKey = proof === 'app-key' ? given.secret : given.appKey;
  if (appKey === null) throw new UsageError('--app-key is missing: signatures name the App Key they belong to');
  const alsoSigned = given.alsoSigned.map((name) => name.toLowerCase());
  const { secret, nowSeconds } = given;
  return sign(request, options, { appKey, secret: Secret.fromText(secret), alsoSigned, nowSeconds });
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

/** One argument of a command line for a POSIX shell. */
export function quote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
