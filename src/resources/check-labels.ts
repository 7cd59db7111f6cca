import { isDeclared, type Place, type Placed, placeIn, type ProblemLog } from '../model/document/problem-log.ts';
import { carries, describeLabels, type Labels, type LabelSelector } from '../model/labels.ts';
import { type Plan, planBelongsTo } from '../model/plan.ts';

/** What has labels of its own. Credentials count by those of their consumer, grants by those of their endpoint. */
interface Labelled {
  readonly labels: Labels;
}

/**
 * Reports endpoints, consumers or issuers of a document that do not carry the labels of a selector: with one, a
 * document holds nothing else. Labels of the document are not repeated.
 */
export function checkLabels(
  noun: 'endpoint' | 'consumer' | 'issuer',
  declared: readonly Placed<Labelled>[],
  selector: LabelSelector,
  problems: ProblemLog,
): void {
  for (const { value, place } of declared) {
    if (carries(value.labels, selector)) continue;
    const message = `this ${noun} does not carry ${describeLabels(selector)}, the selector: set the label, or leave the ${noun} out`;
    const name = Object.keys(selector).find((each) => value.labels[each] !== selector[each]) ?? '';
    const { at, isThere } = placeOfLabel(place, name);
    if (isThere) problems.report(at, message);
    else problems.reportMissing(at, message);
  }
}

/**
 * Reports plans of a document that reach beyond its selector: of whoever has it, both selectors of a plan carry it.
 */
export function checkPlanLabels(plans: readonly Placed<Plan>[], selector: LabelSelector, problems: ProblemLog): void {
  for (const { value, place } of plans) {
    if (planBelongsTo(value, selector)) continue;
    const labels = describeLabels(selector);
    const message = `this plan reaches beyond ${labels}, the selector: its "consumerSelector" and "endpointSelector" must both name these labels`;
    problems.report(place, message);
  }
}

/** The label, or what lacks it. */
function placeOfLabel(place: Place, name: string): { readonly at: Place; readonly isThere: boolean } {
  if (!isDeclared(place, 'labels')) return { at: place, isThere: false };
  const labels = placeIn(place, 'labels');
  return isDeclared(labels, name) ? { at: placeIn(labels, name), isThere: true } : { at: labels, isThere: false };
}

/** Why a stored resource is not to be touched: `carries team=billing, not team=payments`. For people. */
export function describeForeign(labels: Labels, selector: LabelSelector): string {
  const there = Object.fromEntries(Object.entries(labels).filter(([name]) => Object.hasOwn(selector, name)));
  const wanted = describeLabels(selector);
  return Object.keys(there).length === 0
    ? `does not carry ${wanted} in the store`
    : `carries ${describeLabels(there)} in the store, not ${wanted}`;
}
