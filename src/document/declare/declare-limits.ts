import type { Limit } from '../../model/limit.ts';
import type { Declared } from './declared.ts';

/** Limits as a declarative file has them, in their order. */
export function declareLimits(limits: readonly Limit[]): readonly Declared[] {
  return limits.map(({ requests, unit, per }) => ({ requests, unit, per }));
}
