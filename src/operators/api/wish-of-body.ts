import type { Fields, MappingKind } from '../../model/document/fields.ts';
import { HIDDEN } from '../../model/document/problem.ts';
import { describeUnknownKey } from '../../model/document/read-mapping.ts';
import { unseenTexts } from '../../model/document/unseen-texts.ts';
import type { Wish } from '../../resources/changes/wish.ts';
import { invalidResource } from './problem.ts';

/** A JSON object of a client. */
type Body = Readonly<Record<string, unknown>>;

/**
 * The fields of a body as a wish. Throws `INVALID_RESOURCE` for keys with a dot: a wish would take them for the path of
 * a field, and change what they name; and for texts with characters that nobody sees. All else is for the reader of the
 * resource to judge.
 */
export function wishOfBody(body: Body, kind: MappingKind<Fields>): Wish {
  const unseen = unseenTexts(body);
  if (unseen.length > 0) throw invalidResource(unseen);
  const dotted = Object.keys(body).filter((key) => key.includes('.'));
  if (dotted.length === 0) return body;
  throw invalidResource(
    dotted.map((key) => {
      const [field = ''] = key.split('.', 1);
      // Only a known name is repeated: any other key may be a secret in the wrong place.
      if (!Object.hasOwn(kind.fields, field)) return { path: HIDDEN, message: describeUnknownKey(key, kind) };
      const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return { path: key, pointer, message: `unknown key in ${kind.what}: a key is no path; "${field}" takes a value` };
    }),
  );
}

/**
 * A JSON Merge Patch (RFC 7396) as a wish, with the refusals of {@link wishOfBody}. Labels, options and selectors are
 * merged key by key, also where a key has dots; other mappings and lists are taken whole; null gives a field its
 * default again.
 */
export function wishOfPatch(patch: Body, kind: MappingKind<Fields>): Wish {
  const entries = Object.entries(wishOfBody(patch, kind)).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (value === null) return [[name, undefined]];
    if (!mergedByKey.includes(name) || typeof value !== 'object' || Array.isArray(value)) return [[name, value]];
    return Object.entries(value).map(([key, item]: [string, unknown]) => [`${name}.${key}`, item ?? undefined]);
  });
  return Object.fromEntries(entries);
}

const mergedByKey: readonly string[] = ['labels', 'options', 'selector'];
