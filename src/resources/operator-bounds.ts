import { type Field, FieldFault } from '../model/document/fields.ts';
import { MAX_OPERATOR_BOUNDS, MAX_PATH_CHARACTERS } from '../model/bounds.ts';
import { parseHostRule } from '../check/receive/host.ts';
import { parsePathRule } from '../check/receive/path.ts';

function boundsField(read: (text: string) => string | null, rule: string): Field<readonly string[]> {
  const fault = new FieldFault(`must be a list of at most ${String(MAX_OPERATOR_BOUNDS)} different ${rule}`);
  const field = (raw: unknown): readonly string[] | FieldFault => {
    if (!Array.isArray(raw) || raw.length > MAX_OPERATOR_BOUNDS) return fault;
    const texts = raw.flatMap((each: unknown) => (typeof each === 'string' ? (read(each) ?? []) : []));
    return texts.length === raw.length && new Set(texts).size === raw.length ? texts : fault;
  };
  return Object.assign(field, {
    schema: { bsonType: 'array', maxItems: MAX_OPERATOR_BOUNDS, items: { bsonType: 'string' } },
  });
}

/** Hosts that endpoints may be for: as those of an endpoint. */
export const boundHostsField = boundsField(
  parseHostRule,
  'hosts such as api.example.com or *.example.com, without scheme, port or path',
);

/** Prefixes of paths, in normal form. */
export const boundPrefixesField = boundsField(
  (prefix) => (prefix.length > MAX_PATH_CHARACTERS || 'reason' in parsePathRule({ prefix }) ? null : prefix),
  `paths in normal form, such as /payments, of at most ${String(MAX_PATH_CHARACTERS)} characters`,
);
