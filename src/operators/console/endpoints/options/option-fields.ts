import { endpointOptions, hasOption, type OptionName, optionsOf } from '../../../../model/endpoint.ts';
import type { Html } from '../../frame/html.ts';
import { type Refused, selectField, textArea, textField } from '../../parts/form.ts';
import type { ShownEndpoint } from '../shown-endpoint.ts';
import { formatOption } from './option-texts.ts';

/** The options that an endpoint of this method has, each with its default. */
export function optionsFor({ authentication }: ShownEndpoint): readonly (readonly [OptionName, unknown])[] {
  const method = authentication ?? null;
  const defaults: Readonly<Partial<Record<OptionName, unknown>>> = optionsOf(method, {});
  const names = Object.keys(endpointOptions) as OptionName[];
  return names.filter((name) => hasOption(method, name)).map((name) => [name, defaults[name]]);
}

/** The field of one option. An empty one has the default. */
export function optionField(name: OptionName, value: string, byDefault: unknown, refused: Refused): Html {
  const { label, hint, typed } = endpointOptions[name];
  const usual = typeof byDefault === 'boolean' ? (byDefault ? 'yes' : 'no') : formatOption(name, byDefault);
  const parts = { name, label, hint: `${hint} Default: ${usual}.`, value, pointers: [`/options/${name}`] };
  const empty = { value: '', text: `default (${usual})` };
  switch (typed.is) {
    case 'flag':
      return selectField(
        { ...parts, choices: [empty, { value: 'true', text: 'yes' }, { value: 'false', text: 'no' }] },
        refused,
      );
    case 'choice':
      return selectField(
        { ...parts, choices: [empty, ...typed.of.map((each) => ({ value: each, text: each }))] },
        refused,
      );
    case 'number':
    case 'text':
      return textField(parts, refused);
    case 'list':
      return textArea({ ...parts, rows: 2 }, refused);
  }
}
