import type { Limit } from '../../../model/limit.ts';
import { describeLabels } from '../../../model/labels.ts';
import { consumerTrail } from '../consumers/shown-consumer.ts';
import { endpointTrail } from '../endpoints/shown-endpoint.ts';
import { url } from '../frame/html.ts';
import type { Shown, Visit } from '../frame/page.ts';

/** A grant as `GET /v1/grants/ENDPOINT/HOLDER` shows it: one of a consumer, or one for a group. */
export interface ShownGrant {
  /** `ENDPOINT/HOLDER`. */
  readonly id: string;
  readonly endpoint: string;
  readonly consumer?: string;
  /** The labels of the group. */
  readonly consumerSelector?: Readonly<Record<string, string>>;
  readonly priority?: number;
  readonly expiresAt?: string;
  /** Instead of what the endpoint gives each consumer; an empty list lifts it, and without it that is in force. */
  readonly limits?: readonly Limit[];
  readonly revision: number;
}

/** Where the API has a grant. */
export function pathOfGrant({ id, endpoint }: Pick<ShownGrant, 'id' | 'endpoint'>): string {
  return url`/v1/grants/${endpoint}/${holderIn(id)}`;
}

/** The page of the console that is about a grant: of a consumer below it, for a group below the endpoint. */
export function pageOfGrant({ id, endpoint, consumer }: Pick<ShownGrant, 'id' | 'endpoint' | 'consumer'>): string {
  return consumer === undefined
    ? url`/endpoints/${endpoint}/grants/${holderIn(id)}`
    : url`/consumers/${consumer}/grants/${endpoint}`;
}

/** Whom a grant is for, in words. */
export function holderOf({ consumer, consumerSelector = {} }: Omit<Partial<ShownGrant>, 'id'>): string {
  return consumer ?? `consumers with ${describeLabels(consumerSelector)}`;
}

/** The pages above those about a grant. */
export function grantTrail({ endpoint, consumer }: ShownGrant): NonNullable<Shown['trail']> {
  return consumer === undefined ? endpointTrail(endpoint) : consumerTrail(consumer);
}

/** The own grant of a consumer that the path names (`:id` the consumer, `:endpoint`). Throws `ProblemAnswer`. */
export async function readOwnGrant({ api, param }: Visit): Promise<ShownGrant> {
  return await api.get<ShownGrant>(url`/v1/grants/${param('endpoint')}/${param('id')}`);
}

/** The grant for a group that the path names (`:id` the endpoint, `:holder`). Throws `ProblemAnswer`. */
export async function readGroupGrant({ api, param }: Visit): Promise<ShownGrant> {
  return await api.get<ShownGrant>(url`/v1/grants/${param('id')}/${param('holder')}`);
}

/** What an id has behind the slash; holders have none in them but percent-encoded. */
function holderIn(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}
