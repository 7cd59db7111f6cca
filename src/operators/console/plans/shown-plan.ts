import { url } from '../frame/html.ts';
import type { Shown, Visit } from '../frame/page.ts';

type Labels = Readonly<Record<string, string>>;

/** A plan as `GET /v1/plans/ID` shows it. */
export interface ShownPlan {
  readonly id: string;
  readonly consumerSelector?: Labels;
  readonly endpoints?: readonly string[];
  readonly endpointSelector?: Labels;
  readonly priority?: number;
  readonly limits: readonly { readonly requests: number; readonly unit: string }[];
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What a consumer has used of one limit of a plan, as `GET /v1/plans/ID/usage` shows it. */
export interface ShownPlanUse {
  readonly plan: string;
  readonly consumer: string;
  readonly requests: number;
  readonly unit: string;
  readonly used: number;
  readonly until: string;
}

/** The plan that the path names (`:id`). Throws `ProblemAnswer`. */
export async function readPlan({ api, param }: Visit): Promise<ShownPlan> {
  return await api.get<ShownPlan>(url`/v1/plans/${param('id')}`);
}

/** The way from the list to a plan, for pages below it. */
export function planTrail(id: string): NonNullable<Shown['trail']> {
  return [
    { href: '/plans', text: 'Plans' },
    { href: url`/plans/${id}`, text: id },
  ];
}
