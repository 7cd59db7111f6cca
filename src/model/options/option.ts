import {
  type Bound,
  choiceField,
  type Field,
  type Fields,
  flagField,
  type MappingKind,
  wholeNumberField,
} from '../document/fields.ts';
import type { Place, ProblemLog } from '../document/problem-log.ts';

/** How one option is read: as a field, or by a function that reports what is wrong inside. */
export type OptionReader<T> =
  | Field<T>
  | {
      /** `method` is that of the endpoint by its name; null where it is not known. */
      readonly read: (raw: unknown, place: Place, problems: ProblemLog, method: string | null) => T;
      /** Of a list of mappings. */
      readonly inside?: MappingKind<Fields>;
      /** How much of it may be written. */
      readonly bound?: Bound;
    };

/** An option of endpoints: how it is read from documents, typed in forms and flags, and what people call it. */
export interface Option<T> {
  readonly reader: OptionReader<T>;
  readonly typed: Typed;
  /** What pages call it. */
  readonly label: string;
  /** What it is for, in sentences. */
  readonly hint: string;
}

/** The texts of an option. */
export type OptionTexts = Pick<Option<unknown>, 'label' | 'hint'>;

/** How an option is typed where no document is written. */
export type Typed =
  | { readonly is: 'flag' | 'number' | 'text' }
  | { readonly is: 'choice'; readonly of: readonly string[] }
  | { readonly is: 'list'; readonly item: ItemText };

/** An item of a list in one word. */
export interface ItemText {
  /** The item as documents have it; null for a word of another form. */
  readonly parse: (word: string) => unknown;
  /** What may have been meant by a word of another form. The option's reader says what is wrong with it. */
  readonly guess: (word: string) => unknown;
  /** An item in the form that `parse` reads. */
  readonly format: (item: unknown) => string;
  /** What `parse` takes: `query:NAME`; empty for any word. */
  readonly forms: readonly string[];
}

/** Items that are texts. */
export const anyWord: ItemText = { parse: (word) => word, guess: (word) => word, format: String, forms: [] };

/** Yes or no. */
export function flagOption(texts: OptionTexts): Option<boolean> {
  return { reader: flagField, typed: { is: 'flag' }, ...texts };
}

/** One of a closed list. */
export function choiceOption<const T extends string>(choices: readonly T[], texts: OptionTexts): Option<T> {
  return { reader: choiceField(choices), typed: { is: 'choice', of: choices }, ...texts };
}

/** A whole number from `least` to `most`. */
export function numberOption(least: number, most: number, texts: OptionTexts): Option<number> {
  return { reader: wholeNumberField(least, most), typed: { is: 'number' }, ...texts };
}

/** A list, whose reader looks at every item. */
export function listOption<T>(
  reader: OptionReader<readonly T[]>,
  item: ItemText,
  texts: OptionTexts,
): Option<readonly T[]> {
  return { reader, typed: { is: 'list', item }, ...texts };
}
