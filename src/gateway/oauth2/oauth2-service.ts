import type { WhichSecret } from '../../model/credential.ts';
import { isRequestId } from '../../check/receive/request-id.ts';
import { findAddressFault, hasAddressList } from '../../check/authorize/allowed-address.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { isPromise, type Pending, whenReady } from '../../base/pending.ts';
import type { AccessTokens } from '../../check/tokens/access-tokens.ts';
import {
  isOAuth2Refusal,
  jsonAnswer,
  type OAuth2Answer,
  type OAuth2Refusal,
  type OAuth2Request,
  refusalAnswer,
  refuseOAuth2,
  sourceOf,
  unauthorizedClient,
  vouchedClientOf,
} from './messages.ts';
import { authenticateClient, type ClientAuthenticationPorts, tooMany } from './client-authentication.ts';
import { type ClientAuthenticationMethod, findClientCredentials } from './client-credentials.ts';
import { type ClientEndpoint, introspectionEndpoint, revocationEndpoint, tokenEndpoint } from './client-endpoints.ts';
import { oauth2Paths } from '../../check/methods/oauth2/oauth2-paths.ts';
import { describeServer } from './oauth2-addresses.ts';
import { parseParameters } from './parameters.ts';
import type { RevokedTokens } from '../../check/tokens/revoked-tokens.ts';

/** What a request asked for; `none` for a path that nothing is at. */
export const oauth2Operations = ['token', 'revoke', 'introspect', 'metadata', 'none'] as const;
export type OAuth2Operation = (typeof oauth2Operations)[number];

/** A request to an OAuth2 endpoint and what became of it. */
export interface OAuth2Exchange {
  readonly operation: OAuth2Operation;
  readonly request: OAuth2Request;
  /** Envoy's; null without a usable one. */
  readonly requestId: string | null;
  /** How the client authenticated, or tried to; null when it did not come so far. */
  readonly authentication: ClientAuthenticationMethod | null;
  /** Null when the request was answered as asked. */
  readonly refusal: OAuth2Refusal | null;
}

/** Is told of every answered request to an OAuth2 endpoint. Does not throw. */
export interface OAuth2Observer {
  answered(exchange: OAuth2Exchange): void;
  /** A client authenticated itself with one of the App Secrets or public keys of a credential. */
  used(credentialId: string, secret: WhichSecret): void;
  /** The program itself was wrong; the client got 500. */
  defect(error: unknown, requestId: string | null): void;
}

/** What issuing, revoking and describing access tokens takes. */
export interface OAuth2Ports extends ClientAuthenticationPorts {
  readonly issuer: string;
  /** See {@link tokenEndpoint}. */
  readonly bindsTokens: boolean;
  readonly tokens: AccessTokens;
  readonly revokedTokens: RevokedTokens;
  readonly observer: OAuth2Observer;
}

/** From a request to its answer. Neither throws nor rejects. */
export type OAuth2Service = (request: OAuth2Request) => Pending<OAuth2Answer>;

/** How soon a client should try again while the store is unreachable. */
const RETRY_AFTER_SECONDS = 5;

/** Makes the function between HTTP listener and OAuth2 endpoints (spec §3.4). Errors have the form of RFC 6749 §5.2. */
export function createOAuth2Service(ports: OAuth2Ports): OAuth2Service {
  const { observer, tokens, revokedTokens, issuer, bindsTokens } = ports;
  const clientEndpoints = new Map<string, readonly [OAuth2Operation, ClientEndpoint]>([
    [oauth2Paths.token, ['token', tokenEndpoint(tokens, bindsTokens)]],
    [oauth2Paths.revocation, ['revoke', revocationEndpoint(tokens, revokedTokens)]],
    [oauth2Paths.introspection, ['introspect', introspectionEndpoint(ports)]],
  ]);
  const metadata = jsonAnswer(200, describeServer(issuer, bindsTokens));
  // Behind an issuer with a path, its metadata is at this path below the same host (RFC 8414 §3.1).
  const metadataPaths: readonly string[] = [
    oauth2Paths.metadata,
    `${oauth2Paths.metadata}${new URL(issuer).pathname.replace(/\/$/, '')}`,
  ];

  return (request) => {
    const requestId = requestIdOf(request);
    const [path = ''] = request.target.split('?', 1);
    const [operation, endpoint] = clientEndpoints.get(path) ?? [
      metadataPaths.includes(path) ? 'metadata' : 'none',
      null,
    ];
    const trial: Trial = { authentication: null };
    const finish = (answer: OAuth2Answer | OAuth2Refusal): OAuth2Answer => {
      const refusal = isOAuth2Refusal(answer) ? answer : null;
      observer.answered({ operation, request, requestId, authentication: trial.authentication, refusal });
      return isOAuth2Refusal(answer) ? refusalAnswer(answer) : answer;
    };
    const fail = (fault: unknown): OAuth2Answer => {
      const refusal = refusalOf(fault);
      if (refusal.error === 'server_error') observer.defect(fault, requestId);
      return finish(refusal);
    };
    let answer: Pending<OAuth2Answer | OAuth2Refusal>;
    try {
      answer = endpoint === null ? answerOther(operation, request) : answerClient(endpoint, request, ports, trial);
    } catch (fault) {
      return fail(fault);
    }
    return isPromise(answer) ? answer.then(finish, fail) : finish(answer);
  };

  function answerOther(operation: OAuth2Operation, { method }: OAuth2Request): OAuth2Answer | OAuth2Refusal {
    if (operation === 'none') return refuseOAuth2(404, 'invalid_request', 'There is nothing at this address.');
    return method === 'GET' || method === 'HEAD' ? metadata : wrongMethod('GET, HEAD');
  }
}

/** How far a client has come. */
interface Trial {
  /** Noted before it is judged. */
  authentication: ClientAuthenticationMethod | null;
}

function answerClient(
  endpoint: ClientEndpoint,
  request: OAuth2Request,
  ports: OAuth2Ports,
  trial: Trial,
): Pending<OAuth2Answer | OAuth2Refusal> {
  // A page that makes a browser fetch this address must not use up the share of all clients behind the same address.
  if (request.method !== 'POST') return wrongMethod('POST');
  const source = sourceOf(request);
  const waitSeconds = ports.throttle.takeRequest(source);
  if (waitSeconds !== null) return tooMany(waitSeconds, 'this source made too many requests');
  const parameters = parseParameters(request);
  if (isOAuth2Refusal(parameters)) return parameters;
  const fault = endpoint.findFault(parameters);
  if (fault !== null) return fault;
  const credentials = findClientCredentials(request, parameters);
  if (isOAuth2Refusal(credentials)) return credentials;
  trial.authentication = credentials.method;
  return whenReady(authenticateClient(credentials, source, ports), (client) => {
    if (isOAuth2Refusal(client)) return client;
    if (hasAddressList(client.held)) {
      const misplaced = findAddressFault(client.held, vouchedClientOf(request));
      if (misplaced !== null) return unauthorizedClient(misplaced, client.held);
    }
    ports.observer.used(client.held.credential.id, client.secret);
    return endpoint.answer(client, parameters, request);
  });
}

function wrongMethod(allowed: string): OAuth2Refusal {
  return refuseOAuth2(405, 'invalid_request', `The only method here is ${allowed}.`, { headers: { allow: allowed } });
}

function refusalOf(fault: unknown): OAuth2Refusal {
  if (fault instanceof StoreUnavailable) {
    return refuseOAuth2(503, 'temporarily_unavailable', 'Clients cannot be checked at the moment.', {
      headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
      detail: fault.message,
    });
  }
  return refuseOAuth2(500, 'server_error', 'The request could not be answered.', {
    detail: 'a defect of this program',
  });
}

/** The id that Envoy gave the request, for the log. */
function requestIdOf({ headerValues }: OAuth2Request): string | null {
  const [id = ''] = headerValues('x-request-id');
  return isRequestId(id) ? id : null;
}
