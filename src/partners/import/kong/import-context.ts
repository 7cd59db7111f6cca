import type { ProblemLog } from '../../../model/document/problem-log.ts';
import type { FindingLog } from './finding.ts';

/** What a limit becomes that several routes of Kong share, where each endpoint of Postern counts for itself. */
export const sharedLimitChoices = ['refuse', 'each', 'divide'] as const;
export type SharedLimits = (typeof sharedLimitChoices)[number];

/** What the operator decided. The defaults decide nothing: what needs a decision is refused and reported. */
export interface ImportOptions {
  /**
   * `refuse`: such endpoints refuse everything; `each`: every endpoint has the whole limit; `divide`: its share of it.
   */
  readonly sharedLimits: SharedLimits;
  /** Plugins whose work is done elsewhere, such as in Envoy: leaving them out opens nothing. Not for authentication. */
  readonly elsewhere: ReadonlySet<string>;
  /** No back end has paths on which a path of a route ends within a segment, such as `/orders2` for `/orders`. */
  readonly wholeSegments: boolean;
  /** What a back end has at `/orders`, where Kong has the path `/orders/`, may be decided like what is below. */
  readonly slashOptional: boolean;
  /** What the tokens of imported issuers have to be for (`aud`), which Kong does not ask; empty when it is not said. */
  readonly audiences: readonly string[];
  /** The file is the whole configuration, though it was selected by tags. */
  readonly isComplete: boolean;
  /**
   * Endpoints let everything through and only record what they would have decided, because Kong decides behind them.
   */
  readonly observes: boolean;
}

/** What every part of an import needs. */
export interface ImportContext {
  readonly options: ImportOptions;
  /** Why the file is no configuration of Kong: nothing is imported then. */
  readonly problems: ProblemLog;
  /** What the document does otherwise than Kong. */
  readonly findings: FindingLog;
}
