import type { Limit } from '../../../model/limit.ts';
import { url } from '../frame/html.ts';
import type { Visit } from '../frame/page.ts';

/** A grant as `GET /v1/grants/ENDPOINT/CONSUMER` shows it. */
export interface ShownGrant {
  readonly endpoint: string;
  readonly consumer: string;
  readonly expiresAt?: string;
  /** Instead of what the endpoint gives each consumer; an empty list lifts it, and without it that is in force. */
  readonly limits?: readonly Limit[];
  readonly revision: number;
}

/** Where the API has a grant. */
export function pathOfGrant({ endpoint, consumer }: Pick<ShownGrant, 'endpoint' | 'consumer'>): string {
  return url`/v1/grants/${endpoint}/${consumer}`;
}

/** The own grant of a consumer that the path names (`:id` the consumer, `:endpoint`). Throws `ProblemAnswer`. */
export async function readGrant({ api, param }: Visit): Promise<ShownGrant> {
  return await api.get<ShownGrant>(pathOfGrant({ endpoint: param('endpoint'), consumer: param('id') }));
}
