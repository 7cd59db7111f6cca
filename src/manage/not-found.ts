import { findNearestName } from '../document/nearest-name.ts';
import type { ResourceKind } from '../resources/resource.ts';

/** There is no resource of that kind and id. Commands end with exit code 3. */
export class NotFound extends Error {
  override readonly name = 'NotFound';

  /** `known` are ids that may have been meant. */
  constructor(kind: ResourceKind, id: string, known: readonly string[]) {
    const nearest = findNearestName(id, known);
    super(
      `there is no ${kind} ${JSON.stringify(id)}${nearest === null ? '' : `; did you mean ${JSON.stringify(nearest)}?`}`,
    );
  }
}
