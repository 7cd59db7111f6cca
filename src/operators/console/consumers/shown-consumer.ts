import type { ConsumerTextName } from '../../../resources/consumer-fields.ts';
import { url } from '../frame/html.ts';
import type { Shown, Visit } from '../frame/page.ts';

/** A consumer as `GET /v1/consumers/ID` shows it. */
export interface ShownConsumer extends Readonly<Partial<Record<ConsumerTextName, string>>> {
  readonly id: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly enabled: boolean;
  readonly allowFrom?: readonly string[];
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The consumer that the path names (`:id`). Throws `ProblemAnswer`. */
export async function readConsumer({ api, param }: Visit): Promise<ShownConsumer> {
  return await api.get<ShownConsumer>(url`/v1/consumers/${param('id')}`);
}

/** The way from the list to a consumer, for pages below it. */
export function consumerTrail(id: string): NonNullable<Shown['trail']> {
  return [
    { href: '/consumers', text: 'Consumers' },
    { href: url`/consumers/${id}`, text: id },
  ];
}
