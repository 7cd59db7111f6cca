import { quoted } from '../../../model/document/problem.ts';
import type { ReportDifference } from '../../../check/methods/kong.ts';
import type { KongMapping } from './kong-mapping.ts';
import { RENDER_FIRST } from './unresolved.ts';

interface Expected {
  /** The keys that an entity of this kind has in Kong. */
  readonly known: ReadonlySet<string>;
  /** Those whose values may decide who gets in. */
  readonly decisive: readonly string[];
  /** What becomes of the entity, in words that follow a colon. */
  readonly consequence: string;
}

/**
 * Whether something of an entity could hide a restriction: keys that are unknown, such as a misspelt `plugins`, and
 * values that are not filled in. Reports each as an error. Kong refuses a file with an unknown key.
 */
export function isDoubtful(
  entity: KongMapping,
  report: ReportDifference,
  { known, decisive, consequence }: Expected,
): boolean {
  const unknown = entity.unknownKeys(known);
  for (const key of unknown) {
    report('error', [key], {
      what: `has ${quoted(key)}, which the importer does not know and which may keep requests out: ${consequence}`,
      instead: 'correct it (Kong refuses keys that it does not know), or remove it',
    });
  }
  const placeholder = entity.placeholderIn(decisive);
  if (placeholder !== null) {
    report('error', placeholder, { what: `has a placeholder: ${consequence}`, instead: RENDER_FIRST });
  }
  return unknown.length > 0 || placeholder !== null;
}
