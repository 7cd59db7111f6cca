import { operatorRoles } from '../../../model/operator.ts';
import { type Html, url } from '../frame/html.ts';
import type { Form, Shown, Visit } from '../frame/page.ts';
import type { FormState } from '../parts/change-page.ts';
import { selectField, textArea, textField } from '../parts/form.ts';
import { type FormBody, labelPatchOf, linesOfLabels } from '../parts/label-lines.ts';
import { textsOfLines } from '../parts/text-lines.ts';
import { roleTexts, type ShownOperator } from './shown-operator.ts';

/** What the fields of an operator hold, as texts. */
export interface OperatorTexts {
  readonly name: string;
  readonly role: string;
  /** The labels of what is within reach, a line for each; as the next four. */
  readonly selector: string;
  readonly hosts: string;
  readonly pathPrefixes: string;
  readonly certificateNames: string;
  readonly subjects: string;
}

/** As the operator is; a new one is a viewer, who may the least. */
export function textsOf({
  name = '',
  role = 'viewer',
  selector,
  hosts = [],
  pathPrefixes = [],
  certificateNames = [],
  subjects = [],
}: Partial<ShownOperator>): OperatorTexts {
  return {
    name,
    role,
    selector: linesOfLabels(selector),
    hosts: hosts.join('\n'),
    pathPrefixes: pathPrefixes.join('\n'),
    certificateNames: certificateNames.join('\n'),
    subjects: subjects.join('\n'),
  };
}

/** As they were typed. */
export function textsOfForm(form: Form): OperatorTexts {
  return {
    name: form.text('name'),
    role: form.text('role'),
    selector: form.text('selector'),
    hosts: form.text('hosts'),
    pathPrefixes: form.text('pathPrefixes'),
    certificateNames: form.text('certificateNames'),
    subjects: form.text('subjects'),
  };
}

/** What the API takes: null where a field gets its default. `before`: the labels of what the operator reaches. */
export function bodyOf(
  { name, role, selector, hosts, pathPrefixes, certificateNames, subjects }: OperatorTexts,
  before: ShownOperator['selector'] = {},
): FormBody {
  const read = labelPatchOf(before, selector, '/selector');
  return {
    body: {
      name: name === '' ? null : name,
      role,
      selector: read.patch,
      hosts: textsOfLines(hosts),
      pathPrefixes: textsOfLines(pathPrefixes),
      certificateNames: textsOfLines(certificateNames),
      subjects: textsOfLines(subjects),
    },
    faults: read.faults,
  };
}

/** Name, role and reach of an operator, and what identifies it besides tokens. */
export function operatorFields(texts: OperatorTexts, { refused }: FormState): readonly Html[] {
  const { name, role: value, selector, hosts, pathPrefixes, certificateNames, subjects } = texts;
  const choices = operatorRoles.map((role) => ({ value: role, text: `${role}: ${roleTexts[role]}` }));
  const lines = (name: string, label: string, value: string, hint: string): Html =>
    textArea({ name, label, value, rows: 2, hint }, refused);
  return [
    textField(
      { name: 'name', label: 'Name', hint: 'What pages show. Without it they show the id.', value: name },
      refused,
    ),
    selectField(
      { name: 'role', label: 'Role', hint: 'Each role may also do what those above it may.', value, choices },
      refused,
    ),
    textArea(
      {
        name: 'selector',
        label: 'Labels of what the operator reaches',
        value: selector,
        rows: 3,
        hint: 'One on each line, such as team=payments. Without labels an operator reaches everything, and an admin manages operators too.',
      },
      refused,
    ),
    lines(
      'hosts',
      'Hosts of endpoints to change',
      hosts,
      'One on each line, such as api.example.com or *.example.com. Without hosts, endpoints for any host.',
    ),
    lines(
      'pathPrefixes',
      'Path prefixes of endpoints to change',
      pathPrefixes,
      'One on each line, such as /payments. Without prefixes, an admin opens any path that no other team has.',
    ),
    lines(
      'certificateNames',
      'Names of client certificates',
      certificateNames,
      'One on each line: a DNS name, URI or e-mail address. For programs that show a certificate in place of a token.',
    ),
    lines(
      'subjects',
      'Subjects at the OpenID Connect provider',
      subjects,
      'One on each line. For people who sign in at the provider.',
    ),
  ];
}

/** The operator that the path names (`:id`). Throws `ProblemAnswer`. */
export async function readOperator({ api, param }: Visit): Promise<ShownOperator> {
  return await api.get<ShownOperator>(url`/v1/operators/${param('id')}`);
}

/** The way from the list to an operator, for pages below it. */
export function operatorTrail(id: string): NonNullable<Shown['trail']> {
  return [
    { href: '/operators', text: 'Operators' },
    { href: url`/operators/${id}`, text: id },
  ];
}
