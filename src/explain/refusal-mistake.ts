import type { Refusal, RefusalCode } from '../refusal.ts';
import { callerMistake } from './caller-mistakes.ts';
import type { Mistake } from './mistake.ts';
import { findTokenMistake } from './explain-token.ts';

const FIXES: Partial<Record<RefusalCode, string>> = {
  PATH_NOT_NORMAL:
    'Send a path without "." and ".." segments, empty segments, "#" and bytes outside ASCII, percent-encoded once and where needed',
  MALFORMED_REQUEST: 'Percent-encode what cannot stand in a request line, and send Host as host or host:port',
  TOO_MANY_PARAMETERS: 'Send at most 100 parameters, sign counted; more fit into JSON',
  AMBIGUOUS_PARAMETERS: 'Send values that hold "&" and "=" as JSON',
  MALFORMED_WRAPPER:
    'Send {"data":"…","appKey":"…","sign":"…","apiTimestamp":1795228800}, in UTF-8, with nothing before or after it',
  ENDPOINT_NOT_FOUND:
    'See whether the host, the path and the method are those of this API, and --endpoint names the right endpoint (an Envoy route may also name it)',
  BODY_TOO_LARGE: 'Send at most 10 MiB (JSON with a parameter signature: 2 MiB), and give the request with its body',
  BODY_NOT_VERIFIABLE: 'Send a form or JSON in UTF-8, not compressed',
};

/** A refusal as a mistake, for those that say all there is to say: its name is the code in lower case. */
export function refusalMistake({ refused, detail }: Refusal): Mistake {
  if (refused === 'TOKEN_INVALID') return findTokenMistake(detail) ?? callerMistake(detail);
  return {
    name: refused.toLowerCase().replaceAll('_', '-'),
    what: detail,
    fix: FIXES[refused] ?? 'See the code in the list of refusals',
  };
}
