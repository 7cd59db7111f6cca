import { replaceInvisible } from '../../model/document/source-text.ts';
import type { ChangeAction, DescribedChange, FieldChange } from './describe-change.ts';

/** How texts are coloured; `picocolors.createColors(…)` is one. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

const marks = { create: '+', change: '~', delete: '-' } as const satisfies Record<ChangeAction, string>;
const colours = { create: 'green', change: 'yellow', delete: 'red' } as const satisfies Record<
  ChangeAction,
  keyof Paint
>;

/** Longer pairs of values stand below each other. */
const MAX_LINE_LENGTH = 100;

/**
 * A change as lines for people, the first one its heading (`~ endpoint orders`), then one or more for each field with
 * its values before and after. Holds no secret and nothing that would move a terminal's cursor.
 */
export function renderChange(change: DescribedChange, paint: Paint): readonly string[] {
  const { action, kind, id, consumer } = change;
  const owner = consumer === undefined ? '' : paint.dim(` of consumer ${consumer}`);
  const heading = `${paint[colours[action]](`${marks[action]} ${kind} ${paint.bold(replaceInvisible(id))}`)}${owner}`;
  return [heading, ...change.fields.flatMap((field) => renderField(field, action, paint))];
}

function renderField(field: FieldChange, action: ChangeAction, paint: Paint): readonly string[] {
  const name = `    ${replaceInvisible(field.path)}:`;
  if (field.secret !== undefined) return [`${name} ${paint.yellow(`(${field.secret})`)}`];
  const after = wordOf(field, 'after');
  if (action === 'create') return [`${name} ${after}`];
  const before = wordOf(field, 'before');
  if (action === 'delete') return [`${name} ${before}`];
  if (name.length + before.length + after.length <= MAX_LINE_LENGTH) {
    return [`${name} ${paint.red(before)} → ${paint.green(after)}`];
  }
  return [name, `      ${paint.red(`- ${before}`)}`, `      ${paint.green(`+ ${after}`)}`];
}

function wordOf(field: FieldChange, side: 'before' | 'after'): string {
  const value = field[side];
  if (value !== undefined && value !== null) return renderValue(value);
  return field.path.startsWith('options.') ? '(default)' : '(none)';
}

/** What YAML reads back as the same text without quotes, in a list too. */
const PLAIN_TEXT = /^[A-Za-z0-9/*][\w/*.@+ ():-]*$/;

/** What YAML would not read as a text. */
const NO_TEXT = /^(?:true|false|null|[\d.e+-]+)$/i;

/** A value in YAML's flow style, on one line. */
export function renderValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, item]) => `${renderText(key)}: ${renderValue(item)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  return typeof value === 'string' ? renderText(value) : String(value);
}

function renderText(text: string): string {
  const isPlain = PLAIN_TEXT.test(text) && !NO_TEXT.test(text) && !/:(?: |$)| $/.test(text);
  return isPlain ? text : replaceInvisible(JSON.stringify(text));
}
