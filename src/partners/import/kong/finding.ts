import { replaceInvisible, type Position } from '../../../model/document/source-text.ts';
import { formatPath } from '../../../model/document/problem.ts';
import { type Place, placeIn } from '../../../model/document/problem-log.ts';
import type { ReportDifference } from '../../../check/methods/kong.ts';

/**
 * How much a finding matters: `error` for what Kong does and the document does not (it then refuses what it cannot
 * judge), `warning` for what callers or back ends may notice, `note` for what is worth knowing.
 */
const findingLevels = ['error', 'warning', 'note'] as const;
export type FindingLevel = (typeof findingLevels)[number];

/** One difference between what Kong does and what the document makes Postern do. */
export interface Finding extends Position {
  readonly level: FindingLevel;
  readonly file: string;
  /** Such as `services[0].routes[1].paths[0]`. */
  readonly path: string;
  /** What it is about: `route "orders"`. */
  readonly subject: string;
  /** What differs and why; never a secret. */
  readonly what: string;
  /** What to do; null when there is nothing to do. */
  readonly instead: string | null;
}

/** More findings than anyone reads are counted, but not kept. */
export const MAX_FINDINGS = 5000;

/** Collects findings. */
export interface FindingLog {
  /** How what differs about one thing is reported; `place` is where that thing stands. */
  about(place: Place, subject: string): ReportDifference;
  /** By position, each once. */
  sorted(): readonly Finding[];
  /** How many there were of each level, with those that were not kept. */
  readonly counts: Readonly<Record<FindingLevel, number>>;
}

/** Begins a list of findings. */
export function findingLog(): FindingLog {
  const findings: Finding[] = [];
  const known = new Set<string>();
  const counts: Record<FindingLevel, number> = { error: 0, warning: 0, note: 0 };
  return {
    about:
      (place, subject) =>
      (level, steps, { what, instead }) => {
        const { tree, path } = placeIn(place, ...steps);
        const key = JSON.stringify([level, path, subject, what]);
        if (known.has(key)) return;
        counts[level] += 1;
        if (findings.length >= MAX_FINDINGS) return;
        known.add(key);
        findings.push({
          level,
          file: replaceInvisible(tree.file),
          ...tree.locate(path, 'value'),
          path: replaceInvisible(formatPath(path)),
          subject: replaceInvisible(subject),
          what: replaceInvisible(what),
          instead: instead === undefined ? null : replaceInvisible(instead),
        });
      },
    sorted: () =>
      [...findings].sort(
        (a, b) =>
          a.line - b.line ||
          a.column - b.column ||
          findingLevels.indexOf(a.level) - findingLevels.indexOf(b.level) ||
          (a.what < b.what ? -1 : Number(a.what > b.what)),
      ),
    counts,
  };
}
