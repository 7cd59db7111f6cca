import type { Operator } from '../../model/operator.ts';
import { type ResourceStore, takeFirst } from './resource-store.ts';

/** What identifies an operator but a token. */
export type Identity = { readonly subject: string } | { readonly certificateNames: readonly string[] };

/**
 * The enabled operator with the subject of an OpenID Connect provider, or with one of the names of a client
 * certificate. Null when there is none, or more than one.
 */
export async function findOperator(
  identity: Identity,
  resources: Pick<ResourceStore, 'list'>,
): Promise<Operator | null> {
  const [found, other] = await takeFirst(resources.list('operator', identity), 2);
  return found?.resource.enabled === true && other === undefined ? found.resource : null;
}
