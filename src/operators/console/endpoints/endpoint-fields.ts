import { html } from 'hono/html';
import { presentations, USUAL_METHOD } from '../../../check/methods/presentation/presentations.ts';
import { authenticationMethods, DEFAULT_ACCESS_CONDITION, type PathRule } from '../../../model/endpoint.ts';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import type { FormState } from '../parts/change-page.ts';
import { selectField, textArea, textField } from '../parts/form.ts';
import { type FormBody, labelPatchOf, linesOfLabels } from '../parts/label-lines.ts';
import { formatPathRule, type ShownEndpoint } from './shown-endpoint.ts';

/** What the fields of an endpoint hold, as texts. */
export interface EndpointTexts {
  readonly description: string;
  /** A line for each, as the next two. */
  readonly labels: string;
  readonly paths: string;
  readonly hosts: string;
  /** With blanks between them. */
  readonly methods: string;
  /** A method, or `open`. */
  readonly authentication: string;
  readonly accessCondition: string;
}

/** For a new endpoint. */
export const noTexts: EndpointTexts = {
  description: '',
  labels: '',
  paths: '',
  hosts: '',
  methods: '',
  authentication: USUAL_METHOD,
  accessCondition: DEFAULT_ACCESS_CONDITION,
};

/** As the endpoint is. */
export function textsOf(endpoint: ShownEndpoint): EndpointTexts {
  const { description = '', labels, match, scenario, authentication, accessCondition } = endpoint;
  return {
    description,
    labels: linesOfLabels(labels),
    paths: match.paths.map(formatPathRule).join('\n'),
    hosts: (match.hosts ?? []).join('\n'),
    methods: (match.methods ?? []).join(' '),
    authentication: scenario === 'open' ? 'open' : (authentication ?? ''),
    accessCondition: accessCondition ?? DEFAULT_ACCESS_CONDITION,
  };
}

/** As they were typed. */
export function textsOfForm(form: Form): EndpointTexts {
  const names = ['description', 'labels', 'paths', 'hosts', 'methods', 'authentication', 'accessCondition'] as const;
  return Object.fromEntries(names.map((name) => [name, form.text(name)])) as unknown as EndpointTexts;
}

/** What the API takes: null where a field gets its default. `before`: the labels that the endpoint has. */
export function bodyOf(texts: EndpointTexts, before: ShownEndpoint['labels'] = {}): FormBody {
  const read = labelPatchOf(before, texts.labels, '/labels');
  const { description, authentication, accessCondition } = texts;
  const [hosts, methods] = [wordsOf(texts.hosts), wordsOf(texts.methods)];
  const isOpen = authentication === 'open';
  const match = {
    paths: wordsOf(texts.paths).map(pathRuleOf),
    ...(hosts.length === 0 ? {} : { hosts }),
    ...(methods.length === 0 ? {} : { methods }),
  };
  return {
    body: {
      description: description === '' ? null : description,
      scenario: isOpen ? 'open' : 'partner-openapi',
      match,
      labels: read.patch,
      authentication: isOpen ? null : authentication,
      accessCondition: isOpen ? null : accessCondition,
    },
    faults: read.faults,
  };
}

const EXACT = 'exact:';

function pathRuleOf(text: string): PathRule {
  return text.startsWith(EXACT) ? { exact: text.slice(EXACT.length) } : { prefix: text };
}

/** Texts without blanks in them, which stand on lines of their own or beside each other. */
function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

const authenticationChoices = [
  ...authenticationMethods.map((method) => ({ value: method, text: presentations[method].name })),
  { value: 'open', text: 'open: callers are not authenticated' },
];

const accessChoices = [
  { value: 'authenticated-and-authorized', text: 'consumers with a grant only' },
  { value: 'authenticated', text: 'every consumer that proves who it is' },
];

/** The fields that an endpoint is created with. */
export function endpointFields(texts: EndpointTexts, { refused }: FormState): Html {
  const { description, labels, paths, hosts, methods, authentication, accessCondition } = texts;
  return html`${textArea(
    {
      name: 'paths',
      label: 'Paths',
      value: paths,
      rows: 3,
      isRequired: true,
      pointers: ['/match/paths'],
      hint: 'One on each line. /orders takes this path and everything below it, exact:/orders takes this path only.',
    },
    refused,
  )}
${textArea(
  {
    name: 'hosts',
    label: 'Hosts',
    value: hosts,
    rows: 2,
    pointers: ['/match/hosts'],
    hint: 'One on each line, such as api.example.com or *.example.com. Any host when it is empty.',
  },
  refused,
)}
${textField(
  {
    name: 'methods',
    label: 'Methods',
    value: methods,
    pointers: ['/match/methods'],
    hint: 'Such as GET POST. Any method when it is empty.',
  },
  refused,
)}
${selectField(
  {
    name: 'authentication',
    label: 'How callers prove who they are',
    value: authentication,
    choices: authenticationChoices,
    pointers: ['/authentication', '/scenario'],
  },
  refused,
)}
${selectField(
  {
    name: 'accessCondition',
    label: 'Who is let in',
    value: accessCondition,
    choices: accessChoices,
    hint: 'Without effect on an open endpoint. The default is that of commands and files.',
  },
  refused,
)}
${textField({ name: 'description', label: 'Description', value: description }, refused)}
${textArea(
  {
    name: 'labels',
    label: 'Labels',
    value: labels,
    rows: 2,
    hint: 'One on each line, such as team=payments. Operators reach endpoints by labels.',
  },
  refused,
)}`;
}
