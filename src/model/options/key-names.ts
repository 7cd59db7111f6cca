import { MAX_KEY_NAME_CHARACTERS, MAX_KEY_NAMES } from '../bounds.ts';
import { listBound } from '../document/bounds.ts';
import { type Fields, textField } from '../document/fields.ts';
import { type Place, placeIn, type ProblemLog } from '../document/problem-log.ts';
import { readList, readMapping, subjectOf } from '../document/read-mapping.ts';
import { carrierKinds, carrierOf, findCarrierFault, isSameCarrier, type KeyCarrier, takesAll } from './key-carrier.ts';
import type { OptionReader } from './option.ts';

const carrierKind = {
  what: 'a key name',
  fields: Object.fromEntries([...carrierKinds, 'scheme'].map((key) => [key, textField])) satisfies Fields,
  required: [],
} as const;

/** Reads where the App Key may stand: at least one place, each of them looked at. */
export const keyNamesReader: OptionReader<readonly KeyCarrier[]> = {
  read: readKeyNames,
  inside: carrierKind,
  bound: listBound(MAX_KEY_NAMES, MAX_KEY_NAME_CHARACTERS),
};

function readKeyNames(raw: unknown, place: Place, problems: ProblemLog): readonly KeyCarrier[] {
  const list = readList(raw, place, problems);
  if (list?.length === 0)
    problems.report(place, '"keyNames" is empty; name a carrier, or remove the key for the default');
  const carriers: KeyCarrier[] = [];
  for (const [index, item] of (list ?? []).entries()) {
    const at = placeIn(place, index);
    const carrier = readCarrier(item, at, problems);
    if (carrier === null) continue;
    if (carriers.some((other) => isSameCarrier(other, carrier))) {
      problems.report(at, `${subjectOf(at.path)} appears in this list already`);
    } else if (carriers.some((other) => takesAll(other, carrier))) {
      problems.report(
        at,
        `${subjectOf(at.path)} is never looked at: the same header without "scheme" is before it; put it first`,
      );
    } else carriers.push(carrier);
  }
  return carriers;
}

function readCarrier(raw: unknown, place: Place, problems: ProblemLog): KeyCarrier | null {
  const before = problems.count;
  const values = readMapping(raw, place, carrierKind, problems);
  if (values === null || problems.count > before) return null;
  const [kind, second] = carrierKinds.filter((each) => values[each] !== undefined);
  if (kind === undefined || second !== undefined) {
    const known = carrierKinds.map((name) => JSON.stringify(name)).join(' and ');
    problems.report(place, `${subjectOf(place.path)} must have exactly one of ${known}`);
    return null;
  }
  const carrier = carrierOf({ kind, name: values[kind] ?? '', scheme: values['scheme'] ?? null });
  const fault = findCarrierFault(carrier);
  if (fault === null) return carrier;
  problems.report(placeIn(place, fault.part), fault.message);
  return null;
}
