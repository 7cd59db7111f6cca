import { percentEncode } from './encode-parameters.ts';
import { hasParameter } from './parameters.ts';
import { PosternProblem } from './problem.ts';
import type { KeyCarrier } from './settings.ts';
import { extend, type Signature } from './signature.ts';
import { splitTarget, type WireRequest } from './wire-request.ts';

/** Sets the header, or adds the query parameter. A parameter that is there already is `RESERVED_PARAMETER`. */
export function signKey(request: Pick<WireRequest, 'target'>, appKey: string, carrier: KeyCarrier): Signature {
  if ('header' in carrier) return { headers: [[carrier.header, appKey]] };
  const { path, query } = splitTarget(request.target);
  if (hasParameter(query, carrier.query)) {
    throw new PosternProblem('RESERVED_PARAMETER', 'the query has the parameter of the App Key already');
  }
  return { headers: [], target: `${path}?${extend(query, `${percentEncode(carrier.query)}=${appKey}`)}` };
}
