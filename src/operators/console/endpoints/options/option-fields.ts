import { commonOptions, optionsOf } from '../../../../check/methods/options.ts';
import type { Html } from '../../frame/html.ts';
import { type Refused, selectField, textArea, textField } from '../../parts/form.ts';
import type { ShownEndpoint } from '../shown-endpoint.ts';
import { formatOption, type OptionName, optionTexts } from './option-texts.ts';

/** The options that an endpoint of this method has, each with its default. */
export function optionsFor({ authentication }: ShownEndpoint): readonly (readonly [OptionName, unknown])[] {
  const defaults = authentication === undefined ? commonOptions({}) : optionsOf(authentication, {});
  const byName = new Map<string, unknown>(Object.entries(defaults));
  return (Object.keys(optionTexts) as OptionName[]).flatMap((name) =>
    byName.has(name) ? [[name, byName.get(name)] as const] : [],
  );
}

/** The field of one option. An empty one has the default. */
export function optionField(name: OptionName, value: string, byDefault: unknown, refused: Refused): Html {
  const { label, hint, kind } = optionTexts[name];
  const parts = { name, label, hint: `${hint} Default: ${shown(byDefault)}.`, value, pointers: [`/options/${name}`] };
  const empty = { value: '', text: `default (${shown(byDefault)})` };
  switch (kind.is) {
    case 'flag':
      return selectField(
        { ...parts, choices: [empty, { value: 'true', text: 'yes' }, { value: 'false', text: 'no' }] },
        refused,
      );
    case 'choice':
      return selectField(
        { ...parts, choices: [empty, ...kind.of.map((each) => ({ value: each, text: each }))] },
        refused,
      );
    case 'number':
      return textField(parts, refused);
    case 'list':
    case 'carriers':
      return textArea({ ...parts, rows: 2 }, refused);
  }
}

function shown(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : formatOption(value);
}
