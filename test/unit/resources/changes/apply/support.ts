import assert from 'node:assert/strict';
import { parsePlacedDocument } from '../../../../../src/resources/parse-document.ts';
import { formatProblem } from '../../../../../src/model/document/problem.ts';
import { planApply } from '../../../../../src/resources/changes/apply/plan-apply.ts';
import type { ApplyPlan, PlanOptions } from '../../../../../src/resources/changes/apply/apply-plan.ts';
import type { LabelSelector } from '../../../../../src/model/labels.ts';
import type { ResourceStore } from '../../../../../src/resources/changes/resource-store.ts';

/** How a test plans: the selector is that of the command. */
type Wished = Partial<PlanOptions> & { readonly selector?: LabelSelector };

/** Plans a document on a store; gives the problems, as `line:column: message`, instead of a plan. */
export async function planOrProblems(
  text: string,
  store: ResourceStore,
  { isPruning = false, selector }: Wished = {},
): Promise<ApplyPlan | readonly string[]> {
  const parsed = parsePlacedDocument([{ file: 'test.yaml', text }], {
    isComplete: false,
    references: 'elsewhere',
    readSecret: () => ({ fault: 'is not there' }),
    selector,
  });
  const planned = 'problems' in parsed ? parsed : await planApply(parsed.document, store, { isPruning });
  if ('plan' in planned) return planned.plan;
  return planned.problems.map((problem) => formatProblem(problem).replace(/^test\.yaml:/, ''));
}

/** A plan without problems. */
export async function plan(text: string, store: ResourceStore, options: Wished = {}): Promise<ApplyPlan> {
  const planned = await planOrProblems(text, store, options);
  assert.ok('changes' in planned, JSON.stringify(planned));
  return planned;
}

/** The problems of a document that cannot be applied. */
export async function problemsOf(text: string, store: ResourceStore, options: Wished = {}): Promise<readonly string[]> {
  const planned = await planOrProblems(text, store, options);
  assert.ok(!('changes' in planned), 'it can be applied');
  return planned;
}

/** Plans and commits at once. */
export async function apply(text: string, store: ResourceStore, options: Wished = {}): Promise<ApplyPlan> {
  const planned = await plan(text, store, options);
  if (planned.changes.length > 0) {
    await store.commit(planned.changes, { actor: 'ada', action: 'apply', selector: planned.selector });
  }
  return planned;
}

/** Changes in short: `+ consumer acme`. */
export function shortly({ changes }: ApplyPlan): readonly string[] {
  return changes.map(
    ({ kind, id, before, after }) => `${before === null ? '+' : after === null ? '-' : '~'} ${kind} ${id}`,
  );
}
