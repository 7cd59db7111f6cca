import type { Declared } from '../../document/declare/declared.ts';
import { declareLimits } from '../../document/declare/declare-limits.ts';
import type { ProblemLog } from '../../document/problem-log.ts';
import type { EffectivePlugins } from './effective-plugins.ts';
import type { KongConsumer } from './kong-entities.ts';
import type { EndpointDraft } from './match-cell.ts';
import { isEmitted } from './import-endpoints.ts';
import type { RouteLimits } from './route-limits.ts';

/** More grants than these are not written: groups of Kong would have become a file that nobody can look at. */
export const MAX_GRANTS = 500_000;

/** Grants, and the consumers of whom a limit could not be taken over. */
export interface ImportedGrants {
  readonly declared: readonly Declared[];
  readonly unlimited: ReadonlySet<KongConsumer>;
}

/** Who is let in by groups, and the limits that single consumers have. */
export function importGrants(
  drafts: readonly EndpointDraft[],
  ids: ReadonlyMap<KongConsumer, string>,
  effective: EffectivePlugins,
  limits: RouteLimits,
  problems: ProblemLog,
): ImportedGrants {
  const declared: Declared[] = [];
  const unlimited = new Set<KongConsumer>();
  for (const draft of drafts) {
    const { decision, route, id } = draft;
    if (!isEmitted(draft) || decision.method === null) continue;
    // Without groups, only those with limits of their own get a grant.
    for (const consumer of decision.allowed ?? effective.byConsumer.keys()) {
      const own = effective.byConsumer.has(consumer) ? limits.ofConsumer(route, consumer) : null;
      if (own?.isRefused === true) unlimited.add(consumer);
      if (decision.allowed === null && own === null) continue;
      if (declared.length >= MAX_GRANTS) {
        problems.report(
          draft.route.place,
          `the groups of acl plugins would become more than ${String(MAX_GRANTS)} grants; import a part of the routes, or use the access condition "authenticated"`,
        );
        return { declared, unlimited };
      }
      declared.push({
        endpoint: id,
        consumer: ids.get(consumer) ?? '',
        ...(own === null ? {} : { limits: declareLimits(own.limits) }),
      });
    }
  }
  return { declared, unlimited };
}
