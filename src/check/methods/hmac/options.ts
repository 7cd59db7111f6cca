import { alternatives, flagField } from '../../../model/document/fields.ts';
import { type Place, placeIn, type ProblemLog } from '../../../model/document/problem-log.ts';
import { readList, subjectOf } from '../../../model/document/read-mapping.ts';
import { type HmacAlgorithm, hmacAlgorithms } from '../../../model/endpoint.ts';
import type { MethodOptions } from '../method.ts';
import { signatureDefaults, signatureFields } from '../signed-request.ts';

export const hmacOptions: MethodOptions<'hmac'> = {
  readers: {
    hideCredentials: flagField,
    algorithms: { read: readAlgorithms },
    acceptRealHttpVersion: flagField,
    ...signatureFields,
  },
  defaults: {
    ...signatureDefaults,
    hideCredentials: true,
    algorithms: ['hmac-sha256'],
    acceptRealHttpVersion: false,
  },
};

function readAlgorithms(raw: unknown, place: Place, problems: ProblemLog): readonly HmacAlgorithm[] {
  const list = readList(raw, place, problems);
  if (list?.length === 0) problems.report(place, '"algorithms" is empty; remove the key for hmac-sha256');
  const algorithms = new Set<HmacAlgorithm>();
  for (const [index, item] of (list ?? []).entries()) {
    const at = placeIn(place, index);
    const algorithm = hmacAlgorithms.find((known) => known === item);
    if (algorithm === undefined) problems.report(at, `${subjectOf(at.path)} must be ${alternatives(hmacAlgorithms)}`);
    else if (algorithms.has(algorithm)) problems.report(at, `"${algorithm}" appears twice in this list`);
    else algorithms.add(algorithm);
  }
  return [...algorithms];
}
