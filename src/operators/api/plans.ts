import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Operator } from '../../model/operator.ts';
import type { Plan } from '../../model/plan.ts';
import type { Change } from '../../resources/changes/change.ts';
import { listSelected } from '../../resources/changes/list-selected.ts';
import { planNewPlan, planPlanDeletion, planPlanEdit } from '../../resources/changes/plan-plan.ts';
import { collectAll, listPlans } from '../../resources/changes/resource-store.ts';
import { declarePlanUse, readPlanUse } from '../../resources/changes/usage/plan-usage.ts';
import { declareVersion } from '../../resources/declare-resource.ts';
import type { Declared } from '../../resources/declared.ts';
import { declarePlan, planKind } from '../../resources/plan.ts';
import type { Stored } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import { type Asker, changesOf, type ChangeOutcome, commit, operationOf, readMade, refuseNames } from './change.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { reachPlan, selectorOf } from './reach.ts';
import { changeQuery, etagAfter, etagOf, idParam, requireRevision, revisionHeaders } from './request.ts';
import { answers, bodyOf, changeAnswer, objectOf, resourceSchemas } from './shapes.ts';
import { createSight } from './usage-sight.ts';
import { wishOfBody, wishOfPatch } from './wish-of-body.ts';

const tags = ['Plans'];
const path = '/v1/plans';
const onePath = '/v1/plans/{id}';
const usePath = '/v1/plans/{id}/usage';
const params = z.object({ id: idParam });
const shapes = resourceSchemas('Plan', planKind);

/** Rows of an answer at most. */
const MAX_ROWS = 500;
const DEFAULT_ROWS = 100;
const useQuery = z
  .object({
    limit: z.coerce.number().int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS).openapi({
      type: 'integer',
      minimum: 1,
      maximum: MAX_ROWS,
      description: 'So many rows at most, the fullest first.',
    }),
  })
  .strict();

/** What a consumer has used of one limit of a plan. */
export const planUse = objectOf('PlanUse', {
  properties: {
    plan: { type: 'string' },
    consumer: { type: 'string' },
    requests: { type: 'integer', description: 'The limit.' },
    unit: { type: 'string', enum: ['hour', 'day', 'month'] },
    used: { type: 'integer', description: 'Requests that were allowed in the hour, day or month (UTC) of now.' },
    until: { type: 'string', format: 'date-time', description: 'When counting begins anew.' },
  },
  required: ['plan', 'consumer', 'requests', 'unit', 'used', 'until'],
});

/** Adds the routes of plans: limits of each consumer over several endpoints together. */
export function addPlans(api: OpenAPIHono<ApiEnvironment>, { store: { resources, traffic }, clock }: ApiPorts): void {
  const carryOut = async (
    asker: Asker,
    verb: string,
    changes: readonly Change[],
    { dryRun }: { readonly dryRun: 'true' | 'false' },
  ): Promise<ChangeOutcome> =>
    await commit(changes, { resources, operation: operationOf(asker, `plan ${verb}`), isDryRun: dryRun === 'true' });

  api.openapi(
    createRoute({
      method: 'get',
      path,
      tags,
      operationId: 'listPlans',
      summary: 'The plans within reach, in the order of their ids. There are as many as operators write.',
      description: 'An operator with labels reaches the plans both of whose selectors name all of these labels.',
      responses: answers({ 200: z.object({ items: z.array(shapes.resource) }).openapi('Plans') }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const stored = await collectAll(listSelected(resources, 'plan', selectorOf(operator)));
      return context.json({ items: stored.map(show) }, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path,
      tags,
      operationId: 'createPlan',
      summary: 'Create one of the plans.',
      request: { query: changeQuery, body: bodyOf(shapes.creation) },
      responses: answers({ 200: changeAnswer, 201: shapes.resource }, { 201: ['ETag', 'Location'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'change-endpoints');
      const { id: given, ...fields } = context.req.valid('json');
      const id = typeof given === 'string' ? given : '';
      const planned = planNewPlan(id, wishOfBody(fields, planKind), await listPlans(resources));
      const changes = await changesOf(planned, operator, resources);
      const outcome = await carryOut(context.var, 'create', changes, context.req.valid('query'));
      if (outcome.dryRun) return context.json(outcome, 200);
      const made = await readMade(reachPlan(operator, id, resources));
      return context.json(show(made), 201, { etag: etagOf(made), location: `${path}/${id}` });
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: onePath,
      tags,
      operationId: 'showPlan',
      summary: 'One of the plans.',
      request: { params },
      responses: answers({ 200: shapes.resource }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const stored = await reachPlan(operator, context.req.valid('param').id, resources);
      return context.json(show(stored), 200, { etag: etagOf(stored) });
    },
  );

  api.openapi(
    createRoute({
      method: 'patch',
      path: onePath,
      tags,
      operationId: 'editPlan',
      summary: 'Change it: a JSON Merge Patch (RFC 7396), in which null gives a field its default again.',
      description:
        'Selectors are taken whole. `endpoints` take the place of `endpointSelector`, and the other way round.',
      request: { params, query: changeQuery, headers: revisionHeaders, body: bodyOf(shapes.patch) },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const current = await planToChange(operator, context.req.valid('param').id, context.req.valid('header'));
      const patch = context.req.valid('json');
      refuseNames(patch, ['id']);
      const planned = planPlanEdit(current, wishOfPatch(patch, planKind), await listPlans(resources));
      const changes = await changesOf(planned, operator, resources);
      const outcome = await carryOut(context.var, 'set', changes, context.req.valid('query'));
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );

  api.openapi(
    createRoute({
      method: 'delete',
      path: onePath,
      tags,
      operationId: 'deletePlan',
      summary: 'Delete a plan: its limits hold no longer.',
      request: { params, query: changeQuery, headers: revisionHeaders },
      responses: answers({ 200: changeAnswer }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const current = await planToChange(operator, context.req.valid('param').id, context.req.valid('header'));
      const outcome = await carryOut(context.var, 'delete', [planPlanDeletion(current)], context.req.valid('query'));
      return context.json(outcome, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: usePath,
      tags,
      operationId: 'showPlanUsage',
      summary: 'What consumers have used of a plan, as replicas counted it: they report once a minute.',
      description: 'Of limits by the hour, day or month. Consumers who sent no request are left out.',
      request: { params, query: useQuery },
      responses: answers({ 200: z.object({ items: z.array(planUse) }).openapi('PlanUsage') }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { id: planId } = (await reachPlan(operator, context.req.valid('param').id, resources)).resource;
      const nowSeconds = clock.nowSeconds();
      const selection = { consumers: 'each', sinceHour: 0 } as const;
      const isSeen = await createSight(operator, selection, resources);
      const uses = await readPlanUse({ resources, traffic, nowSeconds, isSeen }, { consumers: 'each', planId });
      return context.json({ items: uses.slice(0, context.req.valid('query').limit).map(declarePlanUse) }, 200);
    },
  );

  async function planToChange(
    operator: Operator,
    id: string,
    { 'if-match': ifMatch }: { readonly 'if-match'?: string | undefined },
  ): Promise<Stored<Plan>> {
    requirePermission(operator, 'change-endpoints');
    const current = await reachPlan(operator, id, resources);
    requireRevision(current, ifMatch);
    return current;
  }
}

function show(stored: Stored<Plan>): Declared {
  return { ...declarePlan(stored.resource), ...declareVersion(stored) };
}
