import { endpointOptions } from '../../../../model/endpoint.ts';
import { anyWord, type ItemText, type Option } from '../../../../model/options/option.ts';

/** Those of a newer API are not among them. */
const known: ReadonlyMap<string, Option<unknown>> = new Map(Object.entries(endpointOptions));

/** What people call an option; its name where it has no other. */
export function optionLabel(name: string): string {
  return known.get(name)?.label ?? name;
}

/** The value of an option for people; lists with commas. */
export function formatOption(name: string, value: unknown): string {
  return linesOf(name, value).join(', ');
}

/** The value of an option as it is typed: one line for each item of a list. */
export function linesOf(name: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map(itemTextOf(name).format);
}

/** The value that was typed; null for none, which is the default. What cannot be one is left to the API to refuse. */
export function readOption(name: string, text: string): unknown {
  if (text === '') return null;
  switch (known.get(name)?.typed.is) {
    case 'flag':
      return text === 'true' || (text === 'false' ? false : text);
    case 'number':
      return /^\d{1,9}$/.test(text) ? Number(text) : text;
    case 'list': {
      const { parse, guess } = itemTextOf(name);
      const words = text.split(/\s+/).filter((word) => word !== '');
      return words.map((word) => parse(word) ?? guess(word));
    }
    case 'choice':
    case 'text':
    case undefined:
      return text;
  }
}

function itemTextOf(name: string): ItemText {
  const typed = known.get(name)?.typed;
  return typed?.is === 'list' ? typed.item : anyWord;
}
