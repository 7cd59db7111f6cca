import { isLive } from '../clock.ts';
import type { Credential } from '../model/credential.ts';
import type { Endpoint, PartnerEndpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';

/** An endpoint that lets a credential's consumer in, and the live grant that it has there. */
export interface UsableEndpoint {
  readonly endpoint: PartnerEndpoint;
  /** Null where every authenticated caller is let in without one. */
  readonly grant: Grant | null;
}

/** Where a credential can be used: enabled endpoints of its methods whose access condition its consumer meets now. */
export function usableEndpoints(
  { methods }: Pick<Credential, 'methods'>,
  endpoints: readonly Endpoint[],
  grantsOfConsumer: readonly Grant[],
  nowSeconds: number,
): readonly UsableEndpoint[] {
  const live = new Map(
    grantsOfConsumer
      .filter(({ expiresAt }) => isLive({ notBefore: null, expiresAt }, nowSeconds))
      .map((grant) => [grant.endpointId, grant]),
  );
  return endpoints.flatMap((endpoint): readonly UsableEndpoint[] => {
    if (endpoint.scenario === 'open' || !endpoint.enabled || !methods.includes(endpoint.authentication)) return [];
    const grant = live.get(endpoint.id) ?? null;
    return grant === null && endpoint.accessCondition !== 'authenticated' ? [] : [{ endpoint, grant }];
  });
}
