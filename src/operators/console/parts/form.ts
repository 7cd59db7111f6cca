import { html } from 'hono/html';
import type { ProblemBody } from '../../api/problem.ts';
import { FORM_TOKEN_FIELD } from '../frame/form-token.ts';
import type { Html } from '../frame/html.ts';
import type { Visit } from '../frame/page.ts';
import { meaningOf } from '../frame/problem-page.ts';

/** What every field has. */
export interface FieldParts {
  /** In the form that is sent, and the id of the element. */
  readonly name: string;
  readonly label: string;
  /** Below the label. */
  readonly hint?: string;
  /** Where the API finds faults of this field, as JSON Pointers; with all below them. `/NAME` without it. */
  readonly pointers?: readonly string[];
  /** A fault that the console found itself. */
  readonly fault?: string | null;
  readonly isRequired?: boolean;
}

/** What was refused when the form was sent; null for a form that was not sent yet. */
export type Refused = ProblemBody | null;

/** A form that changes something. It names the session, so that no other site can send it. */
export function changeForm({ csrfToken }: Pick<Visit, 'csrfToken'>, ...content: readonly Html[]): Html {
  return html`<form method="post" class="change">
<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${csrfToken}">
${content}
</form>`;
}

/** A value that the form carries unseen, such as the revision that the page showed. */
export function hiddenField(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** One line of text. */
export function textField(
  parts: FieldParts & {
    readonly value: string;
    readonly type?: 'text' | 'number' | 'search' | 'url' | 'password' | 'datetime-local';
    readonly suggestions?: readonly string[];
  },
  refused: Refused,
): Html {
  const { name, value, type = 'text', isRequired = false, suggestions = [] } = parts;
  const listId = `${name}-suggestions`;
  const list = suggestions.length === 0 ? null : html`list="${listId}"`;
  return field(parts, refused, (described) => [
    html`<input type="${type}" id="${name}" name="${name}" value="${value}" autocomplete="off" spellcheck="false" ${
      isRequired ? html`required` : null
    } ${list} ${described}>`,
    suggestions.length === 0
      ? html``
      : html`<datalist id="${listId}">${suggestions.map((each) => html`<option value="${each}">`)}</datalist>`,
  ]);
}

/** The id of what is created. */
export function idField(value: string, refused: Refused): Html {
  const hint = 'Lower-case letters, digits and hyphens, 63 at most. It cannot be changed later.';
  return textField({ name: 'id', label: 'Id', hint, value, isRequired: true }, refused);
}

/** Several lines of text. */
export function textArea(
  parts: FieldParts & { readonly value: string; readonly rows?: number },
  refused: Refused,
): Html {
  const { name, value, rows = 4 } = parts;
  // A first line feed after the tag belongs to the tag.
  return field(parts, refused, (described) => [
    html`<textarea id="${name}" name="${name}" rows="${rows}" spellcheck="false" ${described}>
${value}</textarea>`,
  ]);
}

/**
 * A file whose text the browser puts into a field of the form; the file itself is not sent. Hidden in the page, because
 * without script it would do nothing.
 */
export function fileFor(name: string, label: string, maxCharacters: number): Html {
  const id = `${name}-file`;
  return html`<div class="field" hidden data-file-for="${name}" data-max="${maxCharacters}">
<label for="${id}">${label}</label>
<input type="file" id="${id}">
<p class="hint" role="status"></p>
</div>`;
}

/** One of few. */
export function selectField(
  parts: FieldParts & { readonly value: string; readonly choices: readonly Choice[] },
  refused: Refused,
): Html {
  const { name, value, choices } = parts;
  const options = choices.map(
    (choice) =>
      html`<option value="${choice.value}" ${choice.value === value ? html`selected` : null}>${choice.text}</option>`,
  );
  return field(parts, refused, (described) => [
    html`<select id="${name}" name="${name}" ${described}>${options}</select>`,
  ]);
}

/** A value, and what people read of it. */
export interface Choice {
  readonly value: string;
  readonly text: string;
}

/** A box to tick. */
export function tickBox({
  name,
  label,
  isTicked,
}: Pick<FieldParts, 'name' | 'label'> & { readonly isTicked: boolean }): Html {
  return html`<p class="field tick"><input type="checkbox" id="${name}" name="${name}" value="yes" ${
    isTicked ? html`checked` : null
  }> <label for="${name}">${label}</label></p>`;
}

/** Why the operator does this; the audit trail keeps it. */
export function reasonField(value: string, refused: Refused): Html {
  const hint = 'Optional. The audit trail keeps it, for example a ticket.';
  return textField({ name: 'reason', label: 'Reason', hint, value }, refused);
}

/** The button that sends the form, and the way back. */
export function buttons({ text, cancel, isDangerous = false }: ButtonParts): Html {
  return html`<p class="buttons"><button type="submit" class="${isDangerous ? 'danger' : 'primary'}">${text}</button>
<a href="${cancel}">Cancel</a></p>`;
}

interface ButtonParts {
  readonly text: string;
  /** Where Cancel leads. */
  readonly cancel: string;
  readonly isDangerous?: boolean;
}

/**
 * Why a form was refused, above it: read out when the page opens, with all faults, those too that belong to no field.
 * `reload` is the page as it is stored now.
 */
export function refusal(refused: Refused, reload: string): Html {
  if (refused === null) return html``;
  const { title, advice } = meaningOf(refused);
  const { code, detail, errors = [] } = refused;
  const details = errors.length === 0 ? [detail] : errors.map((error) => error.detail);
  return html`<div class="refusal" role="alert" tabindex="-1" autofocus>
<h2>${title}</h2>
<ul>${details.map((each) => html`<li>${each}</li>`)}</ul>
<p>${advice} ${code === 'REVISION_CHANGED' ? html`<a href="${reload}">Open it again</a>.` : null}</p>
</div>`;
}

function field(
  { name, label, hint, pointers = [`/${name}`], fault = null, isRequired = false }: FieldParts,
  refused: Refused,
  control: (described: Html | null) => readonly Html[],
): Html {
  const found = (refused?.errors ?? []).filter(({ pointer }) =>
    pointers.some((own) => pointer === own || pointer.startsWith(`${own}/`)),
  );
  const faults = [...(fault === null ? [] : [fault]), ...found.map(({ detail }) => detail)];
  const ids = [hint === undefined ? [] : [`${name}-hint`], faults.length === 0 ? [] : [`${name}-fault`]].flat();
  const described =
    ids.length === 0
      ? null
      : html`aria-describedby="${ids.join(' ')}" ${faults.length === 0 ? null : html`aria-invalid="true"`}`;
  return html`<div class="${faults.length === 0 ? 'field' : 'field faulty'}">
<label for="${name}">${label}${isRequired ? html` <span class="muted">(needed)</span>` : null}</label>
${hint === undefined ? null : html`<p class="hint" id="${name}-hint">${hint}</p>`}
${faults.length === 0 ? null : html`<p class="fault" id="${name}-fault"><strong>Error:</strong> ${faults.join('; ')}</p>`}
${control(described)}
</div>`;
}
