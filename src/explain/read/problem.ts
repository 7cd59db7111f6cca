/** Why a text could not be read as a request, and what to give instead: a sentence without its full stop. */
export interface ReadProblem {
  readonly problem: string;
}
