import { html } from 'hono/html';
import { issuerDefaults } from '../../../model/issuer.ts';
import { jwtAlgorithms } from '../../../model/jwt-algorithms.ts';
import { parseJson } from '../../../model/document/json.ts';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import type { FormState } from '../parts/change-page.ts';
import { textArea, textField } from '../parts/form.ts';
import { type FormBody, labelPatchOf, linesOfLabels } from '../parts/label-lines.ts';
import { textsOfLines } from '../parts/text-lines.ts';
import { claimLines, type ShownIssuer } from './shown-issuer.ts';

/** The fields of an issuer in the order of the form. */
const names = [
  'issuer',
  'jwksUri',
  'jwks',
  'audiences',
  'algorithms',
  'clockSkewSeconds',
  'requiredClaims',
  'labels',
  'description',
] as const;

/** What the fields of an issuer hold, as texts; lists have a line for each. */
export type IssuerTexts = Readonly<Record<(typeof names)[number], string>>;

/** As the issuer is. */
export function textsOf(issuer: Partial<ShownIssuer>): IssuerTexts {
  return {
    issuer: issuer.issuer ?? '',
    jwksUri: issuer.jwksUri ?? '',
    jwks: issuer.jwks === undefined ? '' : JSON.stringify(issuer.jwks, null, 2),
    audiences: (issuer.audiences ?? []).join('\n'),
    algorithms: (issuer.algorithms ?? []).join('\n'),
    clockSkewSeconds: String(issuer.clockSkewSeconds ?? issuerDefaults.clockSkewSeconds),
    requiredClaims: claimLines(issuer.requiredClaims).join('\n'),
    labels: linesOfLabels(issuer.labels),
    description: issuer.description ?? '',
  };
}

/** As they were typed. */
export function textsOfForm(form: Form): IssuerTexts {
  return Object.fromEntries(names.map((name) => [name, form.text(name)])) as IssuerTexts;
}

/** What the API takes: null where a field gets its default. What has no right form is left to it to refuse. */
export function bodyOf(texts: IssuerTexts, labelsBefore: Readonly<Record<string, string>>): FormBody {
  const labels = labelPatchOf(labelsBefore, texts.labels, '/labels');
  const algorithms = textsOfLines(texts.algorithms);
  const { clockSkewSeconds: skew } = texts;
  return {
    body: {
      issuer: texts.issuer,
      jwksUri: texts.jwksUri === '' ? null : texts.jwksUri,
      jwks: texts.jwks.trim() === '' ? null : (parseJson(texts.jwks) ?? texts.jwks),
      audiences: textsOfLines(texts.audiences),
      algorithms: algorithms.length === 0 ? null : algorithms,
      clockSkewSeconds: skew === '' ? null : /^\d{1,6}$/.test(skew) ? Number(skew) : skew,
      requiredClaims: claimsOf(texts.requiredClaims),
      labels: labels.patch,
      description: texts.description === '' ? null : texts.description,
    },
    faults: labels.faults,
  };
}

function claimsOf(text: string): object | null {
  const claims = new Map<string, string[]>();
  for (const line of textsOfLines(text)) {
    const at = line.lastIndexOf('=');
    const [name, value] = at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    claims.set(name, [...(claims.get(name) ?? []), value]);
  }
  return claims.size === 0 ? null : Object.fromEntries(claims);
}

/** The fields of an issuer. */
export function issuerFields(texts: IssuerTexts, { refused }: FormState): Html {
  return html`${textField(
    {
      name: 'issuer',
      label: 'Issuer',
      value: texts.issuer,
      isRequired: true,
      hint: 'The "iss" of its tokens, to the byte.',
    },
    refused,
  )}
${textField(
  {
    name: 'jwksUri',
    label: 'Address of its keys',
    value: texts.jwksUri,
    hint: 'With https. Empty where the keys are below.',
  },
  refused,
)}
${textArea(
  {
    name: 'jwks',
    label: 'Or its keys',
    value: texts.jwks,
    hint: 'A JWK set with public keys, as JSON. Not beside an address.',
  },
  refused,
)}
${textArea(
  {
    name: 'audiences',
    label: 'Audiences',
    value: texts.audiences,
    isRequired: true,
    hint: 'One on each line. A token has one of them in "aud".',
  },
  refused,
)}
${textArea(
  {
    name: 'algorithms',
    label: 'Algorithms',
    value: texts.algorithms,
    hint: `One on each line; empty for all: ${jwtAlgorithms.join(', ')}.`,
  },
  refused,
)}
${textField(
  {
    name: 'clockSkewSeconds',
    label: 'Clock skew in seconds',
    value: texts.clockSkewSeconds,
    type: 'number',
    hint: 'How far its clock may differ.',
  },
  refused,
)}
${textArea(
  {
    name: 'requiredClaims',
    label: 'Required claims',
    value: texts.requiredClaims,
    hint: 'One on each line, such as tenant=acme. A name on several lines allows each of its values.',
  },
  refused,
)}
${textArea(
  { name: 'labels', label: 'Labels', value: texts.labels, hint: 'One on each line, such as team=payments.' },
  refused,
)}
${textArea({ name: 'description', label: 'Description', value: texts.description }, refused)}`;
}
