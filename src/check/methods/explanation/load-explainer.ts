import type { AuthenticationMethod, Endpoint, OpenEndpoint, PartnerEndpointOf } from '../../../model/endpoint.ts';
import type { Pending } from '../../../base/pending.ts';
import type { Refusal } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import type { ClientRequest } from '../../signing/client-request.ts';
import { authenticate } from '../authenticate.ts';
import type { Authenticated, AuthenticationPorts } from '../authenticated.ts';
import { methods } from '../methods.ts';
import {
  type Explainer,
  type ExplainInput,
  type Finding,
  unknownSender,
  type SentIdentity,
  withoutSignature,
} from './explainer.ts';

/** An endpoint and what explains requests to it, as the {@link Explainer} of its method does. */
export interface EndpointExplainer {
  readonly endpoint: Endpoint;
  findSentIdentity(request: ClientRequest): SentIdentity;
  readonly credentialHeaders: readonly string[];
  readonly bodyBears: (request: ClientRequest) => ReturnType<Explainer<AuthenticationMethod>['bodyBears']>;
  /** As the gateway does, but for the digest of a body that the endpoint takes one of. */
  readonly authenticateWithoutDigest: (routed: Routed, ports: AuthenticationPorts) => Pending<Authenticated | Refusal>;
  explain(request: ClientRequest, input: ExplainInput, isVerified: boolean): Finding;
}

/** Loads what the method of an endpoint knows of mistakes. On an open endpoint none can be made. */
export async function loadExplainer(endpoint: Endpoint): Promise<EndpointExplainer> {
  return endpoint.authentication === null ? explainerOfOpen(endpoint) : await loadFor(endpoint);
}

function explainerOfOpen(endpoint: OpenEndpoint): EndpointExplainer {
  return {
    endpoint,
    findSentIdentity: () => unknownSender,
    credentialHeaders: [],
    bodyBears: () => 'nothing',
    authenticateWithoutDigest: authenticate,
    explain: () => withoutSignature([]),
  };
}

async function loadFor<M extends AuthenticationMethod>(
  endpoint: PartnerEndpointOf<M> & Endpoint,
): Promise<EndpointExplainer> {
  const { options } = endpoint as PartnerEndpointOf<M>;
  const explainer = await methods[endpoint.authentication].loadExplainer();
  const { findSentIdentity, bodyBears, authenticateWithoutDigest, explain } = explainer;
  return {
    endpoint,
    findSentIdentity: (request) => findSentIdentity(request, options),
    credentialHeaders: explainer.credentialHeaders(options),
    bodyBears: (request) => bodyBears(request, options),
    authenticateWithoutDigest: (routed, ports) =>
      authenticateWithoutDigest === null || routed.endpoint.id !== endpoint.id
        ? authenticate(routed, ports)
        : authenticateWithoutDigest(routed, options, ports),
    explain: (request, input, isVerified) => explain(request, options, input, isVerified),
  };
}
