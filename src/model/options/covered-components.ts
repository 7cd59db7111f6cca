import { isLowerCaseToken } from '../../base/text/http-grammar.ts';
import { MAX_COVERED_COMPONENT_CHARACTERS, MAX_COVERED_COMPONENTS } from '../bounds.ts';
import { listBound } from '../document/bounds.ts';
import { type Place, placeIn, type ProblemLog } from '../document/problem-log.ts';
import { readList, subjectOf } from '../document/read-mapping.ts';
import { isSignableHeader } from '../signable-headers.ts';
import type { OptionReader } from './option.ts';

/** What of a request RFC 9421 §2.2 derives a component from that a signature may cover, without parameters. */
export const derivedComponents = [
  '@method',
  '@target-uri',
  '@authority',
  '@scheme',
  '@request-target',
  '@path',
  '@query',
] as const;
export type DerivedComponent = (typeof derivedComponents)[number];

/** Whether a field, by its lower-case name, may be covered by an HTTP message signature (spec §3.5). */
export function isCoverableField(name: string): boolean {
  return name !== 'signature' && name !== 'signature-input' && isSignableHeader(name);
}

/** Reads the components that a signature has to cover besides those that every one must: names, each once. */
export const coveredComponentsReader: OptionReader<readonly string[]> = {
  read: readCoveredComponents,
  bound: listBound(MAX_COVERED_COMPONENTS, MAX_COVERED_COMPONENT_CHARACTERS),
};

function readCoveredComponents(raw: unknown, place: Place, problems: ProblemLog): readonly string[] {
  const names = new Set<string>();
  for (const [index, item] of (readList(raw, place, problems) ?? []).entries()) {
    const at = placeIn(place, index);
    const fault = findFault(item);
    if (fault !== null) problems.report(at, `${subjectOf(at.path)} ${fault}`);
    else if (names.has(item as string)) problems.report(at, `"${String(item)}" appears twice in this list`);
    else names.add(item as string);
  }
  return [...names];
}

/** Why a signature can cover nothing of this name, in words that follow it; null when it can. */
function findFault(item: unknown): string | null {
  if (typeof item !== 'string') return 'must be text: quote it';
  if (derivedComponents.some((known) => known === item)) return null;
  if (item.startsWith('@')) return `must be a header, or one of ${derivedComponents.join(', ')}`;
  if (!isLowerCaseToken(item)) return 'must be the name of a header in lower case, without parameters';
  return isCoverableField(item) ? null : 'is a header that cannot be signed';
}
