import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Fields, MappingKind } from '../../model/document/fields.ts';
import type { Change, Planned } from '../../resources/changes/change.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import type { Wish } from '../../resources/changes/wish.ts';
import type { Operator, Permission } from '../../model/operator.ts';
import { declareVersion } from '../../resources/declare-resource.ts';
import type { Declared } from '../../resources/declared.ts';
import type { ResourceOf, Stored } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import { type Asker, type ChangeOutcome, changesOf, commit, operationOf, readMade, refuseNames } from './change.ts';
import { orderParam, orderPlace, readOrder } from './list-order.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { labelsWithin, type ReachedKind, requireReached } from './reach.ts';
import {
  changeQuery,
  etagAfter,
  etagOf,
  idParam,
  labelledListQuery,
  labelsOf,
  pick,
  requireRevision,
  revisionHeaders,
} from './request.ts';
import { answers, besideWarnings, bodyOf, changeAnswer, pageSchema, readListPage, resourceSchemas } from './shapes.ts';
import { wishOfBody, wishOfPatch } from './wish-of-body.ts';

/** What differs between the routes of resources that carry labels. */
export interface LabelledResource<K extends ReachedKind> {
  readonly kind: K;
  /** The name in the document: `Consumer`. */
  readonly name: string;
  /** In the path, and for people: `consumers`. */
  readonly plural: string;
  /** The rules of its fields. */
  readonly rules: MappingKind<Fields>;
  /** Required keys that a new one gets when its body lacks them. */
  readonly given?: readonly string[];
  /** What is most probably not meant in it, each a sentence. */
  readonly warningsOf?: (resource: ResourceOf[K]) => readonly string[];
  /** What changing it needs. */
  readonly permission: Permission;
  readonly declare: (resource: ResourceOf[K]) => Declared;
  readonly planNew: (id: string, wish: Wish, resources: ResourceStore) => Promise<Planned>;
  readonly planEdit: (current: Stored<ResourceOf[K]>, wish: Wish, resources: ResourceStore) => Promise<Planned>;
  /** With everything that goes with it. */
  readonly planDeletion: (current: Stored<ResourceOf[K]>, resources: ResourceStore) => Promise<Planned>;
  /** What deleting it does, as a sentence of the document. */
  readonly deletion: string;
}

const params = z.object({ id: idParam });
const sortedListQuery = labelledListQuery.extend({ sort: orderParam });

/** Adds the routes to list, create, show, edit and delete resources that carry labels, within an operator's reach. */
export function addLabelledResource<K extends ReachedKind>(
  api: OpenAPIHono<ApiEnvironment>,
  { store: { resources, directory } }: ApiPorts,
  { kind, name, plural, rules, given, permission, deletion, ...resource }: LabelledResource<K>,
): void {
  const { warningsOf } = resource;
  const shapes = resourceSchemas(name, rules, warningsOf === undefined ? undefined : besideWarnings, given);
  const tags = [`${name}s`];
  const path = `/v1/${plural}` as const;
  const onePath = `${path}/{id}` as const;
  const show = (stored: Stored<ResourceOf[K]>): Declared => ({
    ...resource.declare(stored.resource),
    ...shownWarnings(warningsOf?.(stored.resource) ?? []),
    ...declareVersion(stored),
  });
  const reached = async (operator: Operator, id: string): Promise<Stored<ResourceOf[K]>> =>
    await requireReached(operator, kind, id, resources);
  const carryOut = async (asker: Asker, verb: string, work: Work): Promise<ChangeOutcome> => {
    const operation = operationOf(asker, `${kind} ${verb}`);
    return await commit(work.changes, { resources, operation, isDryRun: work.dryRun === 'true' });
  };

  api.openapi(
    createRoute({
      method: 'get',
      path,
      tags,
      operationId: `list${name}s`,
      summary: `The ${plural} within reach, in the order of their ids unless \`sort\` says otherwise.`,
      request: { query: sortedListQuery },
      responses: answers({ 200: pageSchema(`${name}Page`, shapes.resource) }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { limit, cursor: from, fields, label, q: namedLike, sort } = context.req.valid('query');
      const cursors = context.get('cursors');
      const order = readOrder(sort, from, cursors);
      const labels = labelsWithin(operator, labelsOf(label));
      if (labels === null) return context.json({ items: [], nextCursor: null }, 200);
      const listed = resources.list(kind, { labels, namedLike, ...order, most: limit + 1 });
      const placeOf = (stored: Stored<ResourceOf[K]>): string => orderPlace(sort, stored.resource.id, stored);
      const page = await readListPage(listed, { limit, cursors, placeOf }, (each) => pick(show(each), fields));
      const isAll = namedLike === undefined && Object.keys(labels).length === 0;
      return context.json(isAll ? { ...page, total: await directory.count(kind) } : page, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path,
      tags,
      operationId: `create${name}`,
      summary: `Create one of the ${plural}.`,
      request: { query: changeQuery, body: bodyOf(shapes.creation) },
      responses: answers({ 200: changeAnswer, 201: shapes.resource }, { 201: ['ETag', 'Location'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, permission);
      const { id: given, ...fields } = context.req.valid('json');
      const id = typeof given === 'string' ? given : '';
      const wish = wishOfBody(fields, rules);
      const changes = await changesOf(await resource.planNew(id, wish, resources), operator, resources);
      const { dryRun } = context.req.valid('query');
      const outcome = await carryOut(context.var, 'create', { changes, dryRun });
      if (outcome.dryRun) return context.json(outcome, 200);
      const made = await readMade(reached(operator, id));
      return context.json(show(made), 201, { etag: etagOf(made), location: `${path}/${id}` });
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: onePath,
      tags,
      operationId: `show${name}`,
      summary: `One of the ${plural}.`,
      request: { params },
      responses: answers({ 200: shapes.resource }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const stored = await reached(operator, context.req.valid('param').id);
      return context.json(show(stored), 200, { etag: etagOf(stored) });
    },
  );

  api.openapi(
    createRoute({
      method: 'patch',
      path: onePath,
      tags,
      operationId: `edit${name}`,
      summary: 'Change it: a JSON Merge Patch (RFC 7396), in which null gives a field its default again.',
      request: { params, query: changeQuery, headers: revisionHeaders, body: bodyOf(shapes.patch) },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, permission);
      const current = await reached(operator, context.req.valid('param').id);
      requireRevision(current, context.req.valid('header')['if-match']);
      const patch = context.req.valid('json');
      refuseNames(patch, ['id']);
      const wish = wishOfPatch(patch, rules);
      const changes = await changesOf(await resource.planEdit(current, wish, resources), operator, resources);
      const outcome = await carryOut(context.var, 'edit', { changes, ...context.req.valid('query') });
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );

  api.openapi(
    createRoute({
      method: 'delete',
      path: onePath,
      tags,
      operationId: `delete${name}`,
      summary: deletion,
      request: { params, query: changeQuery, headers: revisionHeaders },
      responses: answers({ 200: changeAnswer }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, permission);
      const current = await reached(operator, context.req.valid('param').id);
      requireRevision(current, context.req.valid('header')['if-match']);
      const changes = await changesOf(await resource.planDeletion(current, resources), operator, resources);
      return context.json(await carryOut(context.var, 'delete', { changes, ...context.req.valid('query') }), 200);
    },
  );
}

function shownWarnings(warnings: readonly string[]): Declared {
  return warnings.length === 0 ? {} : { warnings };
}

interface Work {
  readonly changes: readonly Change[];
  readonly dryRun: 'true' | 'false';
}
