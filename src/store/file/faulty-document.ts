import { formatProblem, type Problem } from '../../document/problem.ts';

/** The document of a file store has no good state to begin with. The message lists every problem, one a line. */
export class FaultyDocument extends Error {
  override readonly name = 'FaultyDocument';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}
