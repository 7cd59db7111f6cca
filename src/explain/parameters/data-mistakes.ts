import { bodyVariants } from '../body-variants.ts';
import type { Hypothesis } from '../mistake.ts';
import { bytesOf, type ParameterCase, parseObject, textOf } from './parameter-case.ts';
import type { ParameterRecipe } from './parameter-recipe.ts';
import { plainParameter, type SentParameter } from './sent-parameters.ts';

const FIX = 'Write the JSON once, sign this text, and put the very same text into data; never write it anew';

/** What goes wrong with `data` of the JSON form. */
export function dataMistakes({ form }: ParameterCase): readonly Hypothesis<ParameterRecipe>[] {
  if (form !== 'json') return [];
  const data = (change: (value: string) => readonly string[]) => (recipe: ParameterRecipe) => {
    const sent = recipe.parameters.find(({ name }) => name === 'data');
    if (sent === undefined) return [];
    return change(sent.value)
      .filter((value) => value !== sent.value)
      .map((value) => ({ ...recipe, parameters: replace(recipe.parameters, sent, [plainParameter('data', value)]) }));
  };
  // The same data is looked at for many recipes.
  const known = new Map<string, readonly string[]>();
  const variantsOf = (value: string): readonly string[] => {
    const found =
      known.get(value) ?? bodyVariants(Buffer.from(value, 'latin1')).map(({ bytes }) => bytes.toString('latin1'));
    known.set(value, found);
    return found;
  };
  return [
    {
      name: 'data-reserialised',
      what: 'data was signed as another text than it was sent: it was written anew, with other blanks, line ends, escapes or order',
      fix: FIX,
      vary: data(variantsOf),
    },
    {
      name: 'data-escaped',
      what: 'data was signed with the backslashes that it has inside the JSON wrapper',
      fix: 'Sign the text as it is before it is put into the wrapper as a JSON string',
      vary: data((value) => {
        const escaped = bytesOf(JSON.stringify(textOf(value)));
        return [escaped.slice(1, -1), escaped];
      }),
    },
    {
      name: 'data-fields-signed',
      what: 'the fields inside data were signed as parameters, each by itself',
      fix: 'Sign data as one parameter: its value is the whole original JSON text',
      vary: (recipe) => {
        const sent = recipe.parameters.find(({ name }) => name === 'data');
        const fields = sent === undefined ? null : parseObject(Buffer.from(sent.value, 'latin1'));
        if (sent === undefined || fields === null) return [];
        const parameters = Object.entries(fields).map(([name, value]) =>
          plainParameter(bytesOf(name), bytesOf(typeof value === 'string' ? value : JSON.stringify(value))),
        );
        return [{ ...recipe, parameters: replace(recipe.parameters, sent, parameters) }];
      },
    },
  ];
}

function replace(
  parameters: readonly SentParameter[],
  one: SentParameter,
  others: readonly SentParameter[],
): readonly SentParameter[] {
  return parameters.flatMap((parameter) => (parameter === one ? others : [parameter]));
}
