import { z } from '@hono/zod-openapi';
import { type Field, FieldFault, ID_PATTERN } from '../../model/document/fields.ts';
import { type Moment, readMoment, readSpan } from '../../model/document/moments.ts';
import { MAX_REASON_LENGTH, REASON_PATTERN } from '../../resources/changes/change.ts';
import type { Labels } from '../../model/labels.ts';
import type { Stored } from '../../resources/resource.ts';
import { MAX_CURSOR_LENGTH } from './cursors.ts';
import { ApiProblem } from './problem.ts';

/** The id of a resource in a path. */
export const idParam = z
  .string()
  .regex(ID_PATTERN)
  .openapi({ param: { name: 'id', in: 'path' }, example: 'acme' });

/** Items of one page at most. */
export const MAX_PAGE = 500;
/** Characters of a time or a revision. */
const MAX_SHORT_TEXT = 64;
/** Characters of the names of fields. */
const MAX_FIELDS_TEXT = 512;
/** Characters of a text that is looked for. */
export const MAX_SEARCH_TEXT = 100;
const DEFAULT_PAGE = 100;

/** `label=tier=gold`, given once for each label. */
export const labelParam = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .openapi({
    type: 'array',
    items: { type: 'string', pattern: '^[^=]+=.*$' },
    description: 'Only what carries this label, such as `tier=gold`; repeatable.',
  });

/** An id in a query. */
export function idQuery(description: string): z.ZodOptional<z.ZodString> {
  return z.string().regex(ID_PATTERN).optional().openapi({ description });
}

/** A span as the document shows it: of decades at most. The reader takes up to a hundred years. */
const SPAN_FORM = '[0-9]{1,9}s|[0-9]{1,7}m|[0-9]{1,5}h|[0-9]{1,4}d|[0-9]{1,3}w';

/** A time as the document shows it: a span, or itself. */
const momentForm = {
  type: 'string' as const,
  anyOf: [{ pattern: `^(?:${SPAN_FORM})$` }, { format: 'date-time' }],
};

/** Reads a time with its zone, or a span. */
const momentText = z
  .string()
  .max(MAX_SHORT_TEXT)
  .transform((text, context) => {
    const read = readMoment(text);
    if (!(read instanceof FieldFault)) return read;
    context.addIssue({ code: 'custom', message: read.message });
    return z.NEVER;
  });

/** A time in a query: a span back from now, or a time with its zone. */
export function momentQuery(description: string): z.ZodType<Moment | undefined, string | undefined> {
  return momentText.optional().openapi({ ...momentForm, description, example: '7d' });
}

/** The query of every list. */
export const listQuery = z
  .object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_PAGE)
      .default(DEFAULT_PAGE)
      .openapi({ type: 'integer', minimum: 1, maximum: MAX_PAGE, description: 'Items of a page at most.' }),
    cursor: z
      .string()
      .max(MAX_CURSOR_LENGTH)
      .optional()
      .openapi({ description: 'The `nextCursor` of the page before; the first page without it.' }),
    fields: z
      .string()
      .max(MAX_FIELDS_TEXT)
      .optional()
      .openapi({ description: 'Only these fields of each item, separated by commas: `id,labels`.' }),
  })
  .strict();

/** The query of a list of what carries labels. */
export const labelledListQuery = listQuery.extend({
  label: labelParam,
  q: z
    .string()
    .min(1)
    .max(MAX_SEARCH_TEXT)
    .regex(/^[^\u0000-\u001f]+$/)
    .optional()
    .openapi({
      description:
        'Only those whose id begins with this text, or whose name, e-mail address or team holds it, in any case.',
    }),
});

/** The query of a change. */
export const changeQuery = z
  .object({
    dryRun: z
      .enum(['true', 'false'])
      .default('false')
      .openapi({ description: 'Whether the change is only planned: the answer says what would change.' }),
    reason: z
      .string()
      .max(MAX_REASON_LENGTH)
      .regex(REASON_PATTERN)
      .optional()
      .openapi({ description: 'Why, for the audit trail: a ticket, for example.', example: 'OPS-17: unpaid' }),
  })
  .strict();

/** Labels of the repeatable parameter. Throws `MALFORMED_REQUEST` for another form. */
export function labelsOf(given: string | readonly string[] | undefined): Labels {
  const texts = given === undefined ? [] : [given].flat();
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw new ApiProblem('MALFORMED_REQUEST', 'the form of label is NAME=VALUE');
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

/** The header that names the revision that a client has seen (RFC 9110 §13.1.1). */
export const revisionHeaders = z.object({
  'if-match': z
    .string()
    .max(MAX_SHORT_TEXT)
    .optional()
    .openapi({
      // Optional to the framework, so that its absence is answered with 428.
      param: { name: 'if-match', in: 'header', required: true },
      description: 'The `ETag` of the resource as it was read, or `*` for any; needed for every change.',
      pattern: '^(\\*|"[0-9]+")$',
      example: '*',
    }),
});

/** The strong validator of a resource: its revision (RFC 9110 §8.8.3). */
export function etagOf({ revision }: Pick<Stored<unknown>, 'revision'>): string {
  return `"${String(revision)}"`;
}

/** That of a resource after a change; the one it had where nothing was changed (`outcome.revision` is null). */
export function etagAfter(
  { revision }: Pick<Stored<unknown>, 'revision'>,
  outcome: { readonly revision: number | null },
): string {
  return etagOf({ revision: revision + (outcome.revision === null ? 0 : 1) });
}

/**
 * Throws unless `If-Match` names the revision that the store has, or any (`*`): `REVISION_REQUIRED` without it,
 * `REVISION_CHANGED` where another one is there.
 */
export function requireRevision(stored: Stored<unknown>, ifMatch: string | undefined): void {
  if (ifMatch === undefined) {
    throw new ApiProblem('REVISION_REQUIRED', 'give If-Match with the ETag of the resource that was read, or *');
  }
  const seen = ifMatch.split(',').map((each) => each.trim());
  if (seen.includes('*') || seen.includes(etagOf(stored))) return;
  throw new ApiProblem('REVISION_CHANGED', `the resource has revision ${String(stored.revision)} now; read it again`);
}

const SPAN_PATTERN = /^(?:0|\d{1,10}[smhdw])$/;

/** A span of a query or a body, such as `30d`. */
export const spanParam = z
  .string()
  .regex(SPAN_PATTERN)
  .openapi({ pattern: `^(?:0|${SPAN_FORM})$`, example: '30d' });

/** A text of a body, as long as its field takes it; a field without a bound takes none. */
export function textBody({ bound }: Field<unknown>): z.ZodString {
  return z.string().max(Number(bound?.schema['maxLength'] ?? 0));
}

/** A list of texts of a body, which its reader judges. */
export function textsBody({ bound, schema }: Field<unknown>): z.ZodArray<z.ZodString> {
  return z
    .array(z.string())
    .min(Number(schema?.['minItems'] ?? 0))
    .max(Number(bound?.schema['maxItems'] ?? 0));
}

/** A time of a body: itself, or a span ahead of now. */
export const momentBody = momentText.openapi({
  ...momentForm,
  example: '2027-01-01T00:00:00Z',
  description: 'A time, or a span from now: `90d`.',
});

/** A span in seconds. Throws `MALFORMED_REQUEST`, which names the parameter, for one that is too long. */
export function spanOf(name: string, text: string): number {
  const seconds = readSpan(text);
  if (typeof seconds === 'number') return seconds;
  throw new ApiProblem('MALFORMED_REQUEST', `${name} ${seconds.message}`);
}

/** Picks the fields that were asked for; all without them. Unknown names pick nothing. */
export function pick(item: Readonly<Record<string, unknown>>, fields: string | undefined): object {
  if (fields === undefined) return item;
  const names = new Set(fields.split(',').map((name) => name.trim()));
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}
