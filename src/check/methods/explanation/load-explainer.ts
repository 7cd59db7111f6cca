import type { AuthenticationMethod, Endpoint, OpenEndpoint, PartnerEndpointOf } from '../../../model/endpoint.ts';
import type { ClientRequest } from '../../signing/client-request.ts';
import { methods } from '../methods.ts';
import { type ExplainInput, type Finding, unknownSender, type SentIdentity, withoutSignature } from './explainer.ts';

/** An endpoint and what explains requests to it, as the {@link Explainer} of its method does. */
export interface EndpointExplainer {
  readonly endpoint: Endpoint;
  findSentIdentity(request: ClientRequest): SentIdentity;
  explain(request: ClientRequest, input: ExplainInput, isVerified: boolean): Finding;
}

/** Loads what the method of an endpoint knows of mistakes. On an open endpoint none can be made. */
export async function loadExplainer(endpoint: Endpoint): Promise<EndpointExplainer> {
  return endpoint.authentication === null ? explainerOfOpen(endpoint) : await loadFor(endpoint);
}

function explainerOfOpen(endpoint: OpenEndpoint): EndpointExplainer {
  return { endpoint, findSentIdentity: () => unknownSender, explain: () => withoutSignature([]) };
}

async function loadFor<M extends AuthenticationMethod>(
  endpoint: PartnerEndpointOf<M> & Endpoint,
): Promise<EndpointExplainer> {
  const { options } = endpoint as PartnerEndpointOf<M>;
  const { findSentIdentity, explain } = await methods[endpoint.authentication].loadExplainer();
  return {
    endpoint,
    findSentIdentity: (request) => findSentIdentity(request, options),
    explain: (request, input, isVerified) => explain(request, options, input, isVerified),
  };
}
