import { listBound } from '../../../model/document/bounds.ts';
import { MAX_KEY_NAME_CHARACTERS, MAX_KEY_NAMES } from '../../../model/bounds.ts';
import { flagField, textField } from '../../../model/document/fields.ts';
import { type Place, placeIn, type ProblemLog } from '../../../model/document/problem-log.ts';
import { readList, readMapping, subjectOf } from '../../../model/document/read-mapping.ts';
import { type CarrierKind, carrierKinds, type KeyCarrier } from '../../../model/endpoint.ts';
import type { MethodOptions } from '../method.ts';
import { defaultCarriers, findCarrierFault, isSameCarrier } from './carriers.ts';

const carrierKind = {
  what: 'a key name',
  fields: { query: textField, header: textField, scheme: textField } satisfies Record<CarrierKind | 'scheme', unknown>,
  required: [],
} as const;

export const keyOptions: MethodOptions<'key'> = {
  readers: {
    keyNames: { read: readKeyNames, inside: carrierKind, bound: listBound(MAX_KEY_NAMES, MAX_KEY_NAME_CHARACTERS) },
    hideCredentials: flagField,
  },
  defaults: { hideCredentials: true, keyNames: defaultCarriers },
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
  const given = carrierKinds.filter((kind) => values[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    const known = carrierKinds.map((name) => JSON.stringify(name)).join(' and ');
    problems.report(place, `${subjectOf(place.path)} must have exactly one of ${known}`);
    return null;
  }
  const { scheme } = values;
  if (scheme !== undefined && kind !== 'header') {
    problems.report(
      placeIn(place, 'scheme'),
      '"scheme" is the word before an App Key in a header; a query parameter has none',
    );
    return null;
  }
  const carrier = { [kind]: values[kind], ...(scheme === undefined ? {} : { scheme }) } as unknown as KeyCarrier;
  const fault = findCarrierFault(carrier);
  if (fault === null) return carrier;
  const isOfScheme = scheme !== undefined && findCarrierFault({ header: values[kind] ?? '' }) === null;
  problems.report(placeIn(place, isOfScheme ? 'scheme' : kind), fault);
  return null;
}

/** Whether a carrier is present wherever another one is. */
function takesAll(earlier: KeyCarrier, later: KeyCarrier): boolean {
  if (!('header' in earlier && 'header' in later) || earlier.scheme !== undefined) return false;
  return earlier.header.toLowerCase() === later.header.toLowerCase();
}
