import { buildState } from '../../../src/resources/build-state.ts';
import { type DocumentContent, parseDocument } from '../../../src/resources/parse-document.ts';
import { formatProblem } from '../../../src/model/document/problem.ts';
import type { ReadSecret } from '../../../src/resources/secret-source.ts';
import type { StoreState } from '../../../src/check/store/check-store.ts';

/** A secret of the right length that scanners can tell is none. */
export const DEMO_SECRET = 'demo-secret-not-for-production';

/** Secrets as a test wants them: by environment name or file name. */
export function secretsOf(known: Readonly<Record<string, string>>): ReadSecret {
  return (reference) => {
    const text = known['env' in reference ? reference.env : reference.file];
    return text === undefined ? { fault: 'names something that is not there' } : { text };
  };
}

/** What a document may be tested with. */
export interface Given {
  readonly isComplete?: boolean;
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Every problem of one document, as `line:column: message`. */
export function problemsOf(text: string, given: Given = {}): readonly string[] {
  const parsed = parse(text, given);
  return 'problems' in parsed
    ? parsed.problems.map((problem) => formatProblem(problem).replace(/^test\.yaml:/, ''))
    : [];
}

/** The content of a faultless document. */
export function contentOf(text: string, given: Given = {}): DocumentContent {
  const parsed = parse(text, given);
  if ('problems' in parsed) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  return parsed.content;
}

/** The state of a file store with a faultless document. */
export function stateOf(text: string, given: Given = {}): StoreState {
  return buildState(contentOf(text, given));
}

function parse(text: string, { isComplete = true, secrets = {} }: Given): ReturnType<typeof parseDocument> {
  return parseDocument([{ file: 'test.yaml', text }], { isComplete, readSecret: secretsOf(secrets) });
}
