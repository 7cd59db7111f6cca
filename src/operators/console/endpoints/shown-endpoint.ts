import { presentations } from '../../../check/methods/presentation/presentations.ts';
import type { AccessCondition, AuthenticationMethod, PathRule, Scenario } from '../../../model/endpoint.ts';
import type { Limit } from '../../../model/limit.ts';
import { url } from '../frame/html.ts';
import type { Shown, Visit } from '../frame/page.ts';

/** An endpoint as `GET /v1/endpoints/ID` shows it. */
export interface ShownEndpoint {
  readonly id: string;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly scenario: Scenario;
  readonly match: {
    readonly hosts?: readonly string[];
    readonly paths: readonly PathRule[];
    readonly methods?: readonly string[];
  };
  /** Absent for an open endpoint. */
  readonly authentication?: AuthenticationMethod;
  readonly accessCondition?: AccessCondition;
  readonly trafficControl?: { readonly limits?: readonly Limit[] };
  /** Those that are not the default. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly enabled: boolean;
  /** What is most probably not meant in it. */
  readonly warnings?: readonly string[];
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The endpoint that the path of the page names. Throws `ProblemAnswer`. */
export async function readEndpoint({ api, param }: Visit): Promise<ShownEndpoint> {
  return await api.get<ShownEndpoint>(url`/v1/endpoints/${param('id')}`);
}

/** The pages above one about an endpoint. */
export function endpointTrail(id: string): NonNullable<Shown['trail']> {
  return [
    { href: '/endpoints', text: 'Endpoints' },
    { href: url`/endpoints/${id}`, text: id },
  ];
}

/** How callers of an endpoint prove who they are, in words. */
export function authenticationOf({ authentication }: Pick<ShownEndpoint, 'authentication'>): string {
  return authentication === undefined ? 'open: callers are not authenticated' : presentations[authentication].name;
}

/** `/orders` for everything below, `exact:/orders` for one path. */
export function formatPathRule(rule: PathRule): string {
  return 'exact' in rule ? `exact:${rule.exact}` : rule.prefix;
}
