import type { AuthenticationMethod, PartnerEndpointOf } from '../../model/endpoint.ts';
import { codesOf, type CodeMeaning } from './codes.ts';
import { methods } from '../../check/methods/methods.ts';
import { EXAMPLE_APP_KEY } from '../../check/methods/presentation/example-values.ts';
import type { ClientSettings, Example, Guide, Rule, Target } from '../../check/methods/presentation/guide.ts';
import type { ClientNames } from '../../check/methods/presentation/presentation.ts';
import { presentations } from '../../check/methods/presentation/presentations.ts';
import type { AccessibleEndpoint, PartnerAccess } from './partner-access.ts';
import { type GatewayAddress, originOf, targetOf } from './target.ts';

/** Endpoints that a partner's program treats alike: the same method, by the same rules. */
export interface EndpointGroup {
  readonly method: AuthenticationMethod;
  /** Null where no signing client of ours knows the method. */
  readonly client: ClientNames | null;
  /** Whether callers prove with a private key of their own. */
  readonly hasPrivateKey: boolean;
  /** Whether callers have an App Secret: the App Key is none then. */
  readonly hasAppSecret: boolean;
  readonly title: string;
  readonly summary: string;
  readonly rules: readonly Rule[];
  readonly settings: ClientSettings;
  readonly endpoints: readonly AccessibleEndpoint[];
  /** A place of the first of them. */
  readonly target: Target;
  readonly examples: readonly Example[];
  readonly exampleNote: string;
}

/** All that is handed to a partner, before it is written as a page or as data. It holds no secret. */
export interface Handover {
  readonly access: PartnerAccess;
  readonly address: GatewayAddress;
  readonly origin: string;
  /** How the partner gets the secret, in the operator's words; null when none are given. */
  readonly secretBy: string | null;
  readonly groups: readonly EndpointGroup[];
  readonly codes: readonly CodeMeaning[];
}

/** Works out what a partner has to know. Pure. */
export function planHandover(access: PartnerAccess, address: GatewayAddress, secretBy: string | null): Handover {
  const grouped = new Map<string, AccessibleEndpoint[]>();
  for (const accessible of access.endpoints) {
    const { authentication, options } = accessible.endpoint;
    const key = JSON.stringify([authentication, rulesOf(authentication, options as never)]);
    grouped.set(key, [...(grouped.get(key) ?? []), accessible]);
  }
  const exampleAppKey = access.appKey ?? EXAMPLE_APP_KEY;
  const groups = [...grouped.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [groupOf(first, [first, ...others], address, { exampleAppKey, access })],
  );
  const codes = codesOf(
    access.endpoints.map(({ endpoint, limits, planLimits }) => ({
      endpoint,
      limits: [...limits, ...planLimits],
      isAddressJudged: access.allowFrom !== null,
      ofMethod: methodCodes(endpoint),
    })),
  );
  return { access, address, origin: originOf(address), secretBy, groups, codes };
}

function rulesOf<M extends AuthenticationMethod>(method: M, options: PartnerEndpointOf<M>['options']): readonly Rule[] {
  return presentations[method].guide.rules(options);
}

/** What refusals of its method mean to callers of an endpoint. */
export function methodCodes<M extends AuthenticationMethod>(
  endpoint: PartnerEndpointOf<M>,
): ReturnType<Guide<M>['codes']> {
  return presentations[endpoint.authentication].guide.codes(endpoint);
}

function groupOf<M extends AuthenticationMethod>(
  { endpoint }: { readonly endpoint: PartnerEndpointOf<M> },
  endpoints: readonly AccessibleEndpoint[],
  address: GatewayAddress,
  { exampleAppKey, access }: { readonly exampleAppKey: string; readonly access: PartnerAccess },
): EndpointGroup {
  const method = endpoint.authentication;
  const { client: usual, guide } = presentations[method];
  const target = targetOf(endpoint.match, address);
  const hasPublicKey = access.publicKey !== null;
  const { ofPublicKey } = guide;
  const { summary, rules, exampleNote } = hasPublicKey && ofPublicKey !== undefined ? ofPublicKey : guide;
  const client = hasPublicKey && ofPublicKey !== undefined ? ofPublicKey.client : usual;
  return {
    method,
    client,
    hasPrivateKey: hasPublicKey,
    hasAppSecret: !hasPublicKey && access.knownBy.length === 0 && methods[method].proof !== 'app-key',
    title: guide.title,
    summary,
    rules: rules(endpoint.options),
    settings: guide.settings(endpoint.options),
    endpoints,
    target,
    examples: hasPublicKey && ofPublicKey !== undefined ? [] : guide.examples(endpoint, target, exampleAppKey),
    exampleNote,
  };
}
