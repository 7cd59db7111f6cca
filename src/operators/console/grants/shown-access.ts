import { html } from 'hono/html';
import type { Limit } from '../../../model/limit.ts';
import { type Html, url } from '../frame/html.ts';
import type { Cell } from '../parts/table.ts';
import { badge, labels } from '../parts/values.ts';
import type { ShownGrant } from './shown-grant.ts';

/** Whether a consumer may call an endpoint, as `GET /v1/consumers/ID/access` shows it. */
export interface ShownAccess {
  readonly endpoint: string;
  readonly allowed: boolean;
  /** Null where a grant is needed and there is none. */
  readonly by: 'open' | 'grant' | 'authenticated' | null;
  /** The grant in effect. */
  readonly grant?: Pick<ShownGrant, 'consumer' | 'consumerSelector'>;
  readonly limits: readonly Limit[];
  /** The plan whose limits hold beside these. */
  readonly plan?: { readonly id: string };
  /** When this changes by time alone. */
  readonly until?: string;
  readonly obstacles: readonly { readonly code: string; readonly what: string }[];
  /** Every grant on the endpoint that could be the consumer's. */
  readonly grants: readonly Pick<ShownGrant, 'consumer' | 'consumerSelector'>[];
}

/** Whether it may, and what stands in the way. */
export function verdict({ allowed, obstacles }: Pick<ShownAccess, 'allowed' | 'obstacles'>): Html {
  if (allowed) return badge('yes', 'good');
  const whats = obstacles.map(({ what }) => html`<li>${what}</li>`);
  return html`${badge('no', 'bad')}<ul class="plain">${whats}</ul>`;
}

/** What lets the consumer in: its own grant, a grant for a group by its labels, or its credentials alone. */
export function basisOf({ by, grant }: Pick<ShownAccess, 'by' | 'grant'>): Cell {
  if (by === null) return '';
  if (by === 'open') return 'open to all';
  if (grant === undefined) return 'its credentials';
  return grant.consumerSelector === undefined ? 'its own grant' : html`the grant for ${labels(grant.consumerSelector)}`;
}

/** The plan that counts, if any. */
export function planOf({ plan }: Pick<ShownAccess, 'plan'>): Cell {
  return plan === undefined ? '' : html`<a href="${url`/plans/${plan.id}`}">${plan.id}</a>`;
}
