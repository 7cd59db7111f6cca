import { z } from '@hono/zod-openapi';
import type { Fields, MappingKind } from '../../model/document/fields.ts';
import type { ChangeOutcome } from './change.ts';
import { type HeaderName, headersOf } from './document-headers.ts';
import type { Cursors } from './cursors.ts';
import { jsonSchemaOf, type JsonSchema } from './schema.ts';
import type { Stored } from '../../resources/resource.ts';

/** A JSON object whose rules are those of the resource's own reader, shown in the document by its schema. */
export type JsonObject = z.ZodType<Record<string, unknown>>;

/** A JSON object that the document shows by its schema. */
export function objectWith(name: string, schema: JsonSchema): JsonObject {
  return z.record(z.string(), z.unknown()).openapi(name, schema);
}

/** An object whose fields are written here: nothing reads it but clients. */
export function objectOf(
  name: string,
  schema: { readonly properties: JsonSchema; readonly required: readonly string[]; readonly description?: string },
): JsonObject {
  return objectWith(name, { type: 'object', ...schema, required: [...schema.required] });
}

/** What every resource has besides its own fields. */
const version = {
  revision: { type: 'integer', minimum: 1 },
  createdAt: { type: 'string', format: 'date-time' },
  updatedAt: { type: 'string', format: 'date-time' },
} as const;

/**
 * The shapes of a resource: as it is read, with what is only read; as it is made, without the required keys that a new
 * one is `given`; and as a patch.
 */
export function resourceSchemas(
  name: string,
  kind: MappingKind<Fields>,
  beside: Beside = { properties: {}, required: [] },
  given: readonly string[] = [],
): { readonly resource: JsonObject; readonly creation: JsonObject; readonly patch: JsonObject } {
  const required = kind.required.filter((key) => !given.includes(key));
  const changeable = Object.fromEntries(Object.entries(kind.fields).filter(([key]) => key !== 'id'));
  return {
    resource: shownResource(name, kind, beside),
    creation: objectWith(`${name}Creation`, jsonSchemaOf({ ...kind, required })),
    patch: objectWith(`${name}Patch`, jsonSchemaOf({ ...kind, fields: changeable }, { isPatch: true })),
  };
}

/** A resource as it is read: its own fields, its version, and what is shown beside them. */
export function shownResource(
  name: string,
  kind: MappingKind<Fields>,
  beside: Beside = { properties: {}, required: [] },
): JsonObject {
  const schema = jsonSchemaOf(kind, { isShown: true });
  return objectWith(name, {
    ...schema,
    properties: { ...(schema['properties'] as JsonSchema), ...beside.properties, ...version },
    required: [...kind.required, ...beside.required, 'revision', 'createdAt', 'updatedAt'],
  });
}

/** What a resource is shown with that no client writes. */
interface Beside {
  readonly properties: JsonSchema;
  readonly required: readonly string[];
}

const someFields = objectWith('SomeFields', { type: 'object', description: 'With `fields`: those of an item only.' });

/** What a resource is shown with where something is most probably not meant. */
export const besideWarnings: Beside = {
  properties: {
    warnings: {
      type: 'array',
      items: { type: 'string' },
      description: 'What is most probably not meant, such as a pattern in a path. Absent for nothing.',
    },
  },
  required: [],
};

const total = z.number().int().optional().openapi({
  description: 'How many there are on all pages. Only where a store knows it: for lists of all, without a filter.',
});

/** A page of a list. */
export function pageSchema(name: string, item: JsonObject): z.ZodType<Page> {
  return z.object(pageShape(item)).openapi(name);
}

/** The fields of a page, for one that has others beside them. */
export function pageShape(item: JsonObject): {
  readonly items: z.ZodType<Page['items']>;
  readonly nextCursor: z.ZodNullable<z.ZodString>;
  readonly total: typeof total;
} {
  return { items: z.array(z.union([item, someFields])), nextCursor: z.string().nullable(), total };
}

/** A page: its items, and where the next one begins; null for the last. */
export interface Page {
  readonly items: Record<string, unknown>[];
  readonly nextCursor: string | null;
  readonly total?: number | undefined;
}

/** A page has items of so many characters of JSON at most, and one whatever it has. */
export const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024;

/** The first `limit` of a stream as a page; fewer where they are large. Reads no further than it must. */
export async function readListPage<T extends { readonly id: string }>(
  items: AsyncIterable<Stored<T>>,
  { limit, cursors, placeOf = idOf }: ListPageParts<T>,
  show: (stored: Stored<T>) => object,
): Promise<Page> {
  const shown: Record<string, unknown>[] = [];
  let characters = 0;
  let last: string | null = null;
  for await (const item of items) {
    if (last !== null && (shown.length === limit || characters > MAX_PAGE_CHARACTERS)) {
      return { items: shown, nextCursor: cursors.after(last) };
    }
    const each = { ...show(item) };
    characters += JSON.stringify(each).length;
    shown.push(each);
    last = placeOf(item);
  }
  return { items: shown, nextCursor: null };
}

interface ListPageParts<T> {
  readonly limit: number;
  readonly cursors: Cursors;
  /** Behind which place the next page begins; the id without it. */
  readonly placeOf?: (stored: Stored<T>) => string;
}

function idOf({ resource }: Stored<{ readonly id: string }>): string {
  return resource.id;
}

/** One field that a change touches. */
const fieldChange = objectOf('FieldChange', {
  properties: {
    path: { type: 'string', description: 'In the declared resource: `match.hosts`.' },
    before: { description: 'Absent for a secret, and of what is created.' },
    after: { description: 'Absent for a secret.' },
    secret: { type: 'string', enum: ['set', 'changed', 'removed'], description: 'How a secret changes.' },
  },
  required: ['path'],
});
/** The same in JSON Schema. */
export const fieldsOfChange = { type: 'array', items: { $ref: '#/components/schemas/FieldChange' } } as const;

const outcome = z.object({
  dryRun: z.boolean(),
  revision: z.number().int().nullable().openapi({ description: "The store's revision with the change." }),
  beyondReach: z
    .number()
    .int()
    .optional()
    .openapi({ description: 'So many more changes concern what is beyond reach.' }),
  warnings: z
    .array(z.string())
    .optional()
    .openapi({ description: 'What is most probably not meant in what is written, such as a pattern in a path.' }),
  changes: z.array(
    z
      .object({
        action: z.enum(['create', 'change', 'delete']),
        kind: z.string(),
        id: z.string(),
        consumer: z.string().optional(),
        fields: z.array(fieldChange),
      })
      .openapi('Change'),
  ),
});
/** What a change did, or would do with `dryRun`. */
export const changeAnswer: z.ZodType<ChangeOutcome> = outcome.openapi(
  'ChangeOutcome',
) as unknown as z.ZodType<ChangeOutcome>;

/** What undoing a change did; `notes` say what stays. */
export const revertAnswer: z.ZodType<ChangeOutcome & { readonly notes: readonly string[] }> = outcome
  .extend({ notes: z.array(z.string()) })
  .openapi('RevertOutcome') as unknown as z.ZodType<ChangeOutcome & { readonly notes: readonly string[] }>;

/** A body of JSON, which is needed. */
export function bodyOf<S extends z.ZodType>(
  schema: S,
): { readonly required: true; readonly content: { readonly 'application/json': { readonly schema: S } } } {
  return { required: true, content: { 'application/json': { schema } } };
}

type JsonAnswer<S extends z.ZodType> = {
  readonly description: string;
  readonly content: { readonly 'application/json': { readonly schema: S } };
};

type Answers<R> = { readonly [K in keyof R]: R[K] extends z.ZodType ? JsonAnswer<R[K]> : never };

/**
 * The answers of a route when it is done, by status, and the headers that each has of its own. The document adds the
 * headers that all have, and the problems (`describeApi`).
 */
export function answers<R extends Readonly<Record<number, z.ZodType>>>(
  byStatus: R,
  headers: { readonly [K in keyof R]?: readonly HeaderName[] } = {},
): Answers<R> {
  const good = Object.entries(byStatus).map(([status, schema]) => {
    const own = Object.entries(headers).find(([each]) => each === status)?.[1];
    const answer = {
      description: status === '201' ? 'Created.' : 'Done.',
      ...(own === undefined ? {} : { headers: headersOf(own) }),
      content: { 'application/json': { schema } },
    };
    return [status, answer] as const;
  });
  return Object.fromEntries(good) as unknown as Answers<R>;
}
