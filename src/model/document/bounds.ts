import { type Bound, type Field, FieldFault, isMapping } from './fields.ts';

/** Characters of a text (Unicode code points): UTF-16 has two units for some. */
function characterCount(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) if ((text.codePointAt(at) ?? 0) > 0xffff) count -= 1;
  return count;
}

/** Whether a text has more characters than that. A short one is not counted. */
export function isLongerThan(text: string, most: number): boolean {
  return text.length > most && characterCount(text) > most;
}

/** A field with a bound beside its form. */
export function bounded<F extends Field<unknown>>(field: F, bound: Bound): F & { readonly bound: Bound } {
  const copy = ((raw: unknown) => field(raw)) as unknown as F;
  return Object.assign(copy, { ...field, bound });
}

/** A text of at most so many characters. */
export function textBound(most: number): Bound {
  const fault = new FieldFault(`must hold at most ${String(most)} characters`);
  return {
    schema: { maxLength: most },
    excess: (value, stored) => {
      if (typeof value !== 'string' || !isLongerThan(value, most)) return null;
      const isNoLonger = typeof stored === 'string' && characterCount(value) <= characterCount(stored);
      return isNoLonger ? null : fault;
    },
  };
}

/** A list of at most so many items: texts, or mappings of texts, of at most so many characters each. */
export function listBound(mostItems: number, mostCharacters: number): Bound {
  const tooMany = new FieldFault(`must have at most ${String(mostItems)} items`);
  const tooLong = new FieldFault(`must have items of at most ${String(mostCharacters)} characters`);
  return {
    schema: { maxItems: mostItems },
    excess: (value, stored) => {
      if (!Array.isArray(value)) return null;
      const former: readonly unknown[] = Array.isArray(stored) ? stored : [];
      if (value.length > mostItems && value.length > former.length) return tooMany;
      const known = new Set(former.flatMap(textsOf));
      const isLong = (text: string): boolean => isLongerThan(text, mostCharacters) && !known.has(text);
      return value.some((item) => textsOf(item).some(isLong)) ? tooLong : null;
    },
  };
}

function textsOf(item: unknown): readonly string[] {
  if (typeof item === 'string') return [item];
  return isMapping(item) ? Object.values(item).filter((text) => typeof text === 'string') : [];
}

/** A mapping of texts: at most so many, with keys and values of at most so many characters. `noun` is one of them. */
export function textsBound(noun: string, most: number, mostCharacters: number): Bound {
  const tooMany = new FieldFault(`must have at most ${String(most)} ${noun}s`);
  const tooLong = new FieldFault(
    `must have ${noun}s whose names and values hold at most ${String(mostCharacters)} characters`,
  );
  return {
    schema: {
      maxProperties: most,
      propertyNames: { maxLength: mostCharacters },
      additionalProperties: { bsonType: 'string', maxLength: mostCharacters },
    },
    excess: (value, stored) => {
      if (!isMapping(value)) return null;
      const former = isMapping(stored) ? stored : {};
      const entries = Object.entries(value);
      if (entries.length > most && entries.length > Object.keys(former).length) return tooMany;
      const isLong = ([key, text]: readonly [string, unknown]): boolean =>
        typeof text === 'string' &&
        (isLongerThan(key, mostCharacters) || isLongerThan(text, mostCharacters)) &&
        !(Object.hasOwn(former, key) && former[key] === text);
      return entries.some(isLong) ? tooLong : null;
    },
  };
}
