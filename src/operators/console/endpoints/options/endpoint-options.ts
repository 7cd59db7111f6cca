import { url } from '../../frame/html.ts';
import { changePage } from '../../parts/change-page.ts';
import { outcomeNotice } from '../../parts/outcome.ts';
import { endpointTrail, readEndpoint, type ShownEndpoint } from '../shown-endpoint.ts';
import { optionField, optionsFor } from './option-fields.ts';
import { linesOf, readOption } from './option-texts.ts';

/** The value of each option, as it is typed. */
type OptionValues = (name: string) => string;

/** Changes the options of an endpoint. */
export const endpointOptions = changePage<ShownEndpoint, OptionValues>({
  path: '/endpoints/:id/options',
  needs: 'change-endpoints',
  read: readEndpoint,
  heading: ({ id }) => ({ title: `Options of ${id}`, trail: endpointTrail(id), verb: 'Save' }),
  begin:
    ({ options }) =>
    (name) =>
      linesOf(name, options?.[name]).join('\n'),
  typed: ({ text }) => text,
  fields: (valueOf, { refused }, endpoint) =>
    optionsFor(endpoint).map(([name, byDefault]) => optionField(name, valueOf(name), byDefault, refused)),
  request: (valueOf, endpoint) => {
    const values = optionsFor(endpoint).map(([name]) => [name, readOption(name, valueOf(name))]);
    return {
      method: 'PATCH',
      path: url`/v1/endpoints/${endpoint.id}`,
      body: { options: Object.fromEntries(values) as object },
    };
  },
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({
    href: url`/endpoints/${id}`,
    notice: outcomeNotice(body, 'endpoint-changed'),
  }),
});
