import { isDeepStrictEqual } from 'node:util';
import { type Field, FieldFault } from '../model/document/fields.ts';
import { labelsField } from '../model/labels-field.ts';
import { describePlace, type Placed, type ProblemLog } from '../model/document/problem-log.ts';
import { describeLabels, type LabelSelector } from '../model/labels.ts';

const noLabels = new FieldFault('must name at least one label; leave the key out for a document about everything');

/** The labels that all of a document carries. */
export const documentSelectorField: Field<LabelSelector> = Object.assign(
  (raw: unknown) => {
    const labels = labelsField(raw);
    return labels instanceof FieldFault || Object.keys(labels).length > 0 ? labels : noLabels;
  },
  { schema: { ...labelsField.schema, minProperties: 1 }, bound: labelsField.bound },
);

/**
 * The selector that a document is for: that of the command, or else the one that its files name. Undefined for none.
 * Reports files with another one, so that no file is taken for a part that it is not meant for.
 */
export function chooseSelector(
  declared: readonly Placed<LabelSelector>[],
  given: LabelSelector | undefined,
  problems: ProblemLog,
): LabelSelector | undefined {
  const [first] = declared;
  const wanted = given ?? first?.value;
  for (const { value, place } of declared) {
    if (isDeepStrictEqual(value, wanted)) continue;
    const other =
      given === undefined && first !== undefined
        ? `another one is on ${describePlace(first.place, place)}: files of one document are for the same`
        : `the command has ${describeLabels(given ?? {})}, and this file is for another selector`;
    problems.report(place, other);
  }
  return wanted;
}
