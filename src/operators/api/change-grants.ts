import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { readPlain } from '../../model/document/read-plain.ts';
import type { Change } from '../../resources/changes/change.ts';
import { planGrant, planGrantRemoval } from '../../resources/changes/plan-grant.ts';
import { listGroupGrants, type ResourceStore } from '../../resources/changes/resource-store.ts';
import type { Wish } from '../../resources/changes/wish.ts';
import { type Grant, type GrantTarget, isGroupGrant } from '../../model/grant.ts';
import type { Operator } from '../../model/operator.ts';
import type { Declared } from '../../resources/declared.ts';
import { describeGrant, grantId, grantKind, readGrant, shownGrantId } from '../../resources/grant.ts';
import type { Stored } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import { changesOf, commit, conflictOf, operationOf, readMade, refuseNames } from './change.ts';
import { grantToChange } from './grant-to-change.ts';
import { grantParams, grantPath, grantSchema, grantTags, showGrant } from './grants.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { atField, invalidResource } from './problem.ts';
import { reachGrant, requireReached } from './reach.ts';
import { changeQuery, etagAfter, etagOf, revisionHeaders } from './request.ts';
import { jsonSchemaOf } from './schema.ts';
import { answers, bodyOf, changeAnswer, objectWith } from './shapes.ts';
import { wishOfBody, wishOfPatch } from './wish-of-body.ts';

const { priority, expiresAt, limits } = grantKind.fields;
const creation = objectWith('GrantCreation', jsonSchemaOf(grantKind));
const patchKind = { what: 'a grant', fields: { priority, expiresAt, limits }, required: [] } as const;
const patchSchema = objectWith('GrantPatch', jsonSchemaOf(patchKind, { isPatch: true }));
const NAMES = ['id', 'endpoint', 'consumer', 'consumerSelector'];

/** Adds the routes that authorise consumers and groups on endpoints within reach. */
export function addGrantChanges(api: OpenAPIHono<ApiEnvironment>, { store: { resources }, clock }: ApiPorts): void {
  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/grants',
      tags: grantTags,
      operationId: 'createGrant',
      summary: 'Authorise a consumer, or by its labels a group of them, on an endpoint.',
      description:
        'Needs endpoint and consumer within reach; for a group a `consumerSelector` that names the labels of the operator.',
      request: { query: changeQuery, body: bodyOf(creation) },
      responses: answers({ 200: changeAnswer, 201: grantSchema }, { 201: ['ETag', 'Location'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-consumers');
      const body = wishOfBody(context.req.valid('json'), grantKind);
      const read = readPlain(body, readGrant);
      if ('problems' in read) throw invalidResource(read.problems);
      const grant = read.value;
      await atField('/endpoint', requireReached(operator, 'endpoint', grant.endpointId, resources));
      if (!isGroupGrant(grant)) {
        await atField('/consumer', requireReached(operator, 'consumer', grant.consumerId, resources));
      }
      const id = grantId(grant);
      if ((await resources.find('grant', id)) !== null) {
        const conflict = `there is a ${describeGrant(grant)} already`;
        throw await conflictOf({ conflict, remedy: { kind: 'edit', resource: 'grant', id } }, operator, resources);
      }
      const changes = await planWithGroups(operator, grant, body, null, resources);
      const isDryRun = context.req.valid('query').dryRun === 'true';
      const operation = operationOf(context.var, 'grant add');
      const outcome = await commit(changes, { resources, operation, isDryRun, nowSeconds: clock.nowSeconds() });
      if (outcome.dryRun) return context.json(outcome, 200);
      const made = await readMade(reachGrant(operator, id, resources));
      const { warnings } = outcome;
      const shown: Declared = { ...showGrant(made), ...(warnings === undefined ? {} : { warnings: [...warnings] }) };
      return context.json(shown, 201, { etag: etagOf(made), location: pathOf(grant) });
    },
  );

  api.openapi(
    createRoute({
      method: 'patch',
      path: grantPath,
      tags: grantTags,
      operationId: 'editGrant',
      summary: 'Change its limits, its end or its priority: a JSON Merge Patch (RFC 7396).',
      description:
        'Own `limits` replace what the endpoint gives each consumer, `[]` lifts it, and null leaves it in force.',
      request: { params: grantParams, query: changeQuery, headers: revisionHeaders, body: bodyOf(patchSchema) },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const [path, headers] = [context.req.valid('param'), context.req.valid('header')];
      const current = await grantToChange(operator, path, headers, resources);
      const patch = context.req.valid('json');
      refuseNames(patch, NAMES);
      const changes = await planWithGroups(
        operator,
        current.resource,
        wishOfPatch(patch, grantKind),
        current,
        resources,
      );
      const isDryRun = context.req.valid('query').dryRun === 'true';
      const operation = operationOf(context.var, 'grant edit');
      const outcome = await commit(changes, { resources, operation, isDryRun, nowSeconds: clock.nowSeconds() });
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );

  api.openapi(
    createRoute({
      method: 'delete',
      path: grantPath,
      tags: grantTags,
      operationId: 'deleteGrant',
      summary: 'Remove it: the consumer or the group is no longer authorised by it.',
      request: { params: grantParams, query: changeQuery, headers: revisionHeaders },
      responses: answers({ 200: changeAnswer }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const [path, headers] = [context.req.valid('param'), context.req.valid('header')];
      const current = await grantToChange(operator, path, headers, resources);
      const isDryRun = context.req.valid('query').dryRun === 'true';
      const operation = operationOf(context.var, 'grant remove');
      return context.json(await commit([planGrantRemoval(current)], { resources, operation, isDryRun }), 200);
    },
  );
}

/** Plans a grant; one for a group beside the others of its endpoint. */
export async function planWithGroups(
  operator: Operator,
  target: GrantTarget,
  wish: Wish,
  current: Stored<Grant> | null,
  resources: ResourceStore,
): Promise<readonly Change[]> {
  const groups = isGroupGrant(target) ? await listGroupGrants(resources, target.endpointId) : [];
  return await changesOf(planGrant(target, wish, current, groups), operator, resources);
}

function pathOf(grant: Grant): string {
  const [endpoint = '', holder = ''] = shownGrantId(grant).split('/');
  return `/v1/grants/${endpoint}/${encodeURIComponent(holder)}`;
}
