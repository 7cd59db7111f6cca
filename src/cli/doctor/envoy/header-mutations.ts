import { type JsonObject, listIn, objectIn, textIn } from '../../../model/document/json.ts';

/** Whether an entry of Envoy's header mutations removes the header of this name. */
export function removesHeader(mutation: JsonObject, header: string): boolean {
  if (isSame(textIn(mutation, 'remove'), header)) return true;
  const pattern = textIn(mutation, 'remove_on_match', 'key_matcher', 'safe_regex', 'regex');
  const prefix = textIn(mutation, 'remove_on_match', 'key_matcher', 'prefix');
  if (prefix !== null) return header.toLowerCase().startsWith(prefix.toLowerCase());
  return pattern !== null && matches(pattern, header);
}

/** Envoy's expressions are RE2; the few that JavaScript writes otherwise count as no match. */
function matches(pattern: string, text: string): boolean {
  const isCaseless = pattern.startsWith('(?i)');
  try {
    return new RegExp(`^(?:${isCaseless ? pattern.slice('(?i)'.length) : pattern})$`, isCaseless ? 'i' : '').test(text);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function isSame(name: string | null, header: string): boolean {
  return name?.toLowerCase() === header.toLowerCase();
}

type Writer = (settings: JsonObject, header: string) => boolean;

/** Filters that set, overwrite or remove request headers whose names are in their settings, by the filter's type. */
const writers: Readonly<Record<string, Writer>> = {
  HeaderMutation: (settings, header) =>
    listIn(settings, 'mutations', 'request_mutations').some(
      (mutation) => removesHeader(mutation, header) || isSame(textIn(mutation, 'append', 'header', 'key'), header),
    ),
  JwtAuthentication: (settings, header) =>
    Object.values(objectIn(settings, 'providers')).some(
      (provider) =>
        isSame(textIn(provider, 'forward_payload_header'), header) ||
        listIn(provider, 'claim_to_headers').some((claim) => isSame(textIn(claim, 'header_name'), header)),
    ),
  BasicAuth: (settings, header) => isSame(textIn(settings, 'forward_username_header'), header),
  ApiKeyAuth: (settings, header) => isSame(textIn(settings, 'forwarding', 'header'), header),
  // Of header_to_metadata.
  Config: (settings, header) =>
    listIn(settings, 'request_rules').some((rule) => rule['remove'] === true && isSame(textIn(rule, 'header'), header)),
};

/** Whether a filter of a type (`HeaderMutation`), by its own settings or those of a route, changes a request header. */
export function changesHeader(type: string, settings: JsonObject, header: string): boolean {
  return writers[type]?.(settings, header) ?? false;
}
