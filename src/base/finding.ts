/** How much a finding matters: `fault` makes Postern unsafe or unusable, `warning` will hurt some day. */
export type FindingLevel = 'ok' | 'warning' | 'fault';

/** One thing that `postern doctor` looked at. */
export interface Finding {
  readonly level: FindingLevel;
  /** What was looked at, with its place: `listener partners: filter chain`. */
  readonly subject: string;
  /** What it is like, and why that is good or bad. Never a secret. */
  readonly message: string;
  /** What to do; null when all is well. */
  readonly advice: string | null;
  /** Why records of the store were not looked at: it did not answer, or is empty or of another version. */
  readonly cause?: 'unreachable' | 'schema';
}

/** A finding that all is well. */
export function fine(subject: string, message: string): Finding {
  return { level: 'ok', subject, message, advice: null };
}

/** A finding of what will hurt some day, and what to do about it. */
export function warning(subject: string, message: string, advice: string): Finding {
  return { level: 'warning', subject, message, advice };
}

/** A finding of what makes Postern unsafe or unusable, and what to do about it. */
export function fault(subject: string, message: string, advice: string): Finding {
  return { level: 'fault', subject, message, advice };
}

/** What a finding says: what is wrong, and what to do about it. */
type Words = Pick<Finding, 'message'> & { readonly advice: string };

/** Collects findings about one subject. */
export interface FindingsAbout {
  readonly all: Finding[];
  faultIf(isFound: boolean, words: Words): void;
  warnIf(isFound: boolean, words: Words): void;
}

/** Begins a list of findings about one subject. */
export function findingsAbout(subject: string): FindingsAbout {
  const all: Finding[] = [];
  const addIf =
    (level: 'fault' | 'warning') =>
    (isFound: boolean, { message, advice }: Words): void => {
      if (isFound) all.push({ level, subject, message, advice });
    };
  return { all, faultIf: addIf('fault'), warnIf: addIf('warning') };
}
