/** A mistake that callers make, as it is told to one. */
export interface Mistake {
  /** Stable, for scripts: `path-without-query`. */
  readonly name: string;
  /** What is wrong, a clause without its full stop. */
  readonly what: string;
  /** How to fix it, a sentence without its full stop. */
  readonly fix: string;
}

/** A mistake that can be seen in the request itself. */
export interface Fault<C> extends Mistake {
  readonly isMade: (context: C) => boolean;
}

/** A mistake that shows only in the signature: each way to build what the caller may have signed. */
export interface Hypothesis<R> extends Mistake {
  /** The recipe changed as by this mistake, likely ways first; none where it could not have been made. */
  readonly vary: (recipe: R) => readonly R[];
  /** Has so many ways that it is tried by itself only, not with another mistake. */
  readonly isAlone?: true;
}

/** The mistake by itself, without what finds it. */
export function told({ name, what, fix }: Mistake): Mistake {
  return { name, what, fix };
}
