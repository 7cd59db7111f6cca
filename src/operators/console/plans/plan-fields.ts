import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import type { FormState } from '../parts/change-page.ts';
import { textArea, textField } from '../parts/form.ts';
import { type FormBody, labelPatchOf, linesOfLabels } from '../parts/label-lines.ts';
import { textsOfLines, typedNumber } from '../parts/text-lines.ts';
import type { ShownPlan } from './shown-plan.ts';

/** What the fields of a plan hold, as texts; lists have a line for each. */
export interface PlanTexts {
  readonly consumerSelector: string;
  readonly endpoints: string;
  readonly endpointSelector: string;
  readonly priority: string;
  readonly limits: string;
}

/** As the plan is. */
export function textsOf(plan: Partial<ShownPlan>): PlanTexts {
  return {
    consumerSelector: linesOfLabels(plan.consumerSelector),
    endpoints: (plan.endpoints ?? []).join('\n'),
    endpointSelector: linesOfLabels(plan.endpointSelector),
    priority: String(plan.priority ?? 0),
    limits: (plan.limits ?? []).map(({ requests, unit }) => `${String(requests)}/${unit}`).join('\n'),
  };
}

/** As they were typed. */
export function textsOfForm(form: Form): PlanTexts {
  return {
    consumerSelector: form.text('consumerSelector'),
    endpoints: form.text('endpoints'),
    endpointSelector: form.text('endpointSelector'),
    priority: form.text('priority'),
    limits: form.text('limits'),
  };
}

/** What the API takes: null where a field gets its default. What is no number is left to it to refuse. */
export function bodyOf(texts: PlanTexts): FormBody {
  const consumers = labelPatchOf({}, texts.consumerSelector, '/consumerSelector');
  const selected = labelPatchOf({}, texts.endpointSelector, '/endpointSelector');
  const endpoints = textsOfLines(texts.endpoints);
  const limits = textsOfLines(texts.limits).map((line) => {
    const [requests = '', unit = '', ...rest] = line.split('/').map((part) => part.trim());
    return { requests: typedNumber(requests), unit: [unit, ...rest].join('/') };
  });
  return {
    body: {
      consumerSelector: orNull(consumers.patch),
      endpoints: endpoints.length === 0 ? null : endpoints,
      endpointSelector: orNull(selected.patch),
      priority: texts.priority === '' ? null : typedNumber(texts.priority),
      limits,
    },
    faults: [...consumers.faults, ...selected.faults],
  };
}

function orNull(labels: object): object | null {
  return Object.keys(labels).length === 0 ? null : labels;
}

/** The fields of a plan. */
export function planFields(texts: PlanTexts, { refused }: FormState): Html {
  return html`${textArea(
    {
      name: 'consumerSelector',
      label: 'Consumers with these labels',
      value: texts.consumerSelector,
      hint: 'One on each line, such as tier=gold: those that carry all of them. Empty for every consumer.',
    },
    refused,
  )}
${textArea(
  {
    name: 'endpoints',
    label: 'Endpoints',
    value: texts.endpoints,
    hint: 'Their ids, one on each line. Empty for every endpoint, or for those with the labels below.',
  },
  refused,
)}
${textArea(
  {
    name: 'endpointSelector',
    label: 'Or endpoints with these labels',
    value: texts.endpointSelector,
    hint: 'One on each line, such as team=payments. Not beside ids.',
  },
  refused,
)}
${textField(
  {
    name: 'priority',
    label: 'Priority',
    value: texts.priority,
    type: 'number',
    hint: 'Of several plans that cover a request, the highest counts. No two have the same.',
  },
  refused,
)}
${textArea(
  {
    name: 'limits',
    label: 'Limits of each consumer',
    value: texts.limits,
    isRequired: true,
    hint: 'One on each line, over all endpoints of the plan together, such as 5000000/month or 50/second.',
  },
  refused,
)}`;
}
