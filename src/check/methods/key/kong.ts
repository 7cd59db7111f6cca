import { quoted } from '../../../model/document/problem.ts';
import { MAX_KEY_NAME_CHARACTERS, MAX_KEY_NAMES } from '../../../model/bounds.ts';
import {
  findCarrierFault,
  findHeaderFault,
  isSameCarrier,
  type KeyCarrier,
  partsOf,
} from '../../../model/options/key-carrier.ts';
import type { KeySchemes, KongCounterpart, PluginSettings } from '../kong.ts';

/** Kong's `key-auth` (kong/plugins/key-auth). */
export const kongKeyAuth: KongCounterpart<'key'> = {
  plugin: 'key-auth',
  settings: ['key_names', 'key_in_header', 'key_in_query', 'key_in_body', 'run_on_preflight'],
  readOptions: (settings, schemes) => {
    const keyNames = readKeyNames(settings, schemes);
    if (settings.flag('key_in_body', false)) {
      settings.report('error', ['key_in_body'], {
        what: 'also takes the key from the body, which Postern does not: callers who send it there are refused',
        instead: 'have them send it in a header',
      });
    }
    if (!settings.flag('run_on_preflight', true)) {
      settings.report('warning', ['run_on_preflight'], {
        what: 'lets every OPTIONS request through; here OPTIONS needs a key too',
        instead: 'answer preflight requests with Envoy’s cors filter, before ext_authz',
      });
    }
    if (keyNames.length > 0) return { keyNames };
    settings.report('error', [], {
      what: 'takes the key only from where Postern does not look: the endpoints it applies to refuse everything',
    });
    return null;
  },
  credential: { kind: 'app-key', list: 'keyauth_credentials', appKey: 'key', appSecret: null },
};

/**
 * Where the key may stand, in the order in which Kong looks; after a scheme word, and in headers only, where the file's
 * keys begin with one.
 */
function readKeyNames(settings: PluginSettings, { word }: KeySchemes): readonly KeyCarrier[] {
  const names = settings.texts('key_names');
  const inHeader = settings.flag('key_in_header', true);
  const inQuery = settings.flag('key_in_query', true);
  const carriers: KeyCarrier[] = [];
  const add = (carrier: KeyCarrier): void => {
    if (!carriers.some((other) => isSameCarrier(other, carrier))) carriers.push(carrier);
  };
  const addHeader = (header: string): void => {
    add(word === null ? { header } : { header, scheme: word });
  };
  if (word !== null) {
    settings.report('note', [], {
      what: `takes keys after the word ${quoted(word)} as it is written; here its case does not matter (RFC 9110)`,
    });
  }
  if (word !== null && inQuery) {
    settings.report('warning', [], {
      what: `takes keys with the word ${quoted(word)} before them from the query too; here they are taken from a header only`,
      instead: 'have callers who send them in the query send them in the header',
    });
  }
  for (const [index, name] of (names.length === 0 ? ['apikey'] : names).entries()) {
    const fault = inHeader ? findHeaderFault(name) : null;
    if (fault !== null) {
      settings.report('error', ['key_names', index], {
        what: `takes the key from the header ${quoted(name)}, which ${fault}: callers who send it there are refused`,
        instead: 'have them send it in another header',
      });
    } else if (inHeader) {
      addHeader(name);
      // nginx finds a header of either spelling under a name with "_".
      if (name.includes('_')) addHeader(name.replaceAll('_', '-'));
    }
    if (!inQuery || word !== null) continue;
    if (findCarrierFault({ query: name }) === null) add({ query: name });
    else {
      settings.report('error', ['key_names', index], {
        what: `takes the key from the query parameter ${quoted(name)}, which cannot carry an App Key: callers who send it there are refused`,
        instead: 'have them send it in another parameter',
      });
    }
  }
  const kept = carriers
    .filter((carrier) => partsOf(carrier).name.length <= MAX_KEY_NAME_CHARACTERS)
    .slice(0, MAX_KEY_NAMES);
  if (kept.length < carriers.length) {
    settings.report('error', ['key_names'], {
      what: `takes the key from more places, or longer ones, than an endpoint has (${String(MAX_KEY_NAMES)} of ${String(MAX_KEY_NAME_CHARACTERS)} characters): callers who send it in the others are refused`,
      instead: 'have them send it in one of the first',
    });
  }
  return kept;
}
