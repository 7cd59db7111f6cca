import type { Declared } from '../../resources/declared.ts';
import { placeIn } from '../../document/problem-log.ts';
import { findHeaderFault } from '../../methods/key/carriers.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { ImportedMethod } from './authentication.ts';
import type { KongPlugin } from './kong-entities.ts';
import type { KongReader } from './kong-reader.ts';

/** Reads `key-auth` (kong/plugins/key-auth): where the key may stand, in the order in which Kong looks. */
export function readKeyAuth(
  { config }: KongPlugin,
  subject: string,
  reader: KongReader,
  findings: FindingLog,
): ImportedMethod | null {
  const names = reader.texts(config, 'key_names');
  const inHeader = reader.flag(config, 'key_in_header', true);
  const inQuery = reader.flag(config, 'key_in_query', true);
  const keyNames: Declared[] = [];
  const add = (carrier: Declared): void => {
    const text = JSON.stringify(carrier).toLowerCase();
    if (!keyNames.some((other) => JSON.stringify(other).toLowerCase() === text)) keyNames.push(carrier);
  };
  for (const [index, name] of (names.length === 0 ? ['apikey'] : names).entries()) {
    const fault = inHeader ? findHeaderFault(name) : null;
    if (fault !== null) {
      findings.add('error', placeIn(config.place, 'key_names', index), {
        subject,
        what: `takes the key from the header ${quoted(name)}, which ${fault}: callers who send it there are refused`,
        instead: 'have them send it in another header',
      });
    } else if (inHeader) {
      add({ header: name });
      // nginx finds a header of either spelling under a name with "_".
      if (name.includes('_')) add({ header: name.replaceAll('_', '-') });
    }
    if (inQuery) add({ query: name });
  }
  if (reader.flag(config, 'key_in_body', false)) {
    findings.add('error', placeIn(config.place, 'key_in_body'), {
      subject,
      what: 'also takes the key from the body, which Postern does not: callers who send it there are refused',
      instead: 'have them send it in a header',
    });
  }
  if (!reader.flag(config, 'run_on_preflight', true)) {
    findings.add('warning', placeIn(config.place, 'run_on_preflight'), {
      subject,
      what: 'lets every OPTIONS request through; here OPTIONS needs a key too',
      instead: 'answer preflight requests with Envoy’s cors filter, before ext_authz',
    });
  }
  if (keyNames.length > 0) return { method: 'key', options: { keyNames } };
  findings.add('error', config.place, {
    subject,
    what: 'takes the key from nowhere that Postern looks at: the endpoints it applies to refuse everything',
  });
  return null;
}
