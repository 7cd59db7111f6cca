import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Operator } from '../../model/operator.ts';
import type { Planned } from '../../resources/changes/change.ts';
import { planEndpointEdit } from '../../resources/changes/plan-endpoint.ts';
import { planGrant } from '../../resources/changes/plan-grant.ts';
import type { Declared } from '../../resources/declared.ts';
import { declareLimits, limitKind } from '../../resources/limits.ts';
import type { Stored } from '../../resources/resource.ts';
import { requirePermission } from './authenticate.ts';
import { type Asker, changesOf, type ChangeOutcome, commit, operationOf } from './change.ts';
import { grantToChange } from './grant-to-change.ts';
import { grantParams, grantPath } from './grants.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { reachGrant, requireReached } from './reach.ts';
import { changeQuery, etagAfter, etagOf, idParam, requireRevision, revisionHeaders } from './request.ts';
import { jsonSchemaOf } from './schema.ts';
import { answers, bodyOf, changeAnswer, objectWith } from './shapes.ts';

const tags = ['Limits'];
const params = z.object({ id: idParam });
const endpointPath = '/v1/endpoints/{id}/limits';
const grantLimitsPath = `${grantPath}/limits` as const;

const list = { type: 'array', items: jsonSchemaOf(limitKind) } as const;
const limitsSchema = objectWith('Limits', { type: 'object', properties: { limits: list }, required: ['limits'] });
const grantLimitsSchema = objectWith('GrantLimits', {
  type: 'object',
  properties: {
    limits: {
      anyOf: [list, { type: 'null' }],
      description: 'Instead of what the endpoint gives each consumer; `[]` lifts it, null leaves it in force.',
    },
  },
  required: ['limits'],
});
/** Of a body; fewer are right, one for each unit and scope. */
const MAX_LIMITS = 100;
const limitsBody = z
  .object({ limits: z.array(objectWith('Limit', jsonSchemaOf(limitKind))).max(MAX_LIMITS) })
  .strict()
  .openapi('LimitsWish');

/** Adds the routes of traffic control: of endpoints, and of grants on them. */
export function addLimits(api: OpenAPIHono<ApiEnvironment>, { store: { resources } }: ApiPorts): void {
  /** Carries out a plan whose problems are named by the places of the body. */
  const carryOut = async (
    asker: Asker,
    verb: 'set' | 'clear',
    planned: Planned,
    { dryRun }: { readonly dryRun: 'true' | 'false' },
  ): Promise<ChangeOutcome> => {
    const changes = await changesOf(inBody(planned), asker.operator, resources);
    return await commit(changes, {
      resources,
      operation: operationOf(asker, `limit ${verb}`),
      isDryRun: dryRun === 'true',
    });
  };

  const endpointToChange = async (
    operator: Operator,
    id: string,
    ifMatch: string | undefined,
  ): Promise<Stored<Endpoint>> => {
    requirePermission(operator, 'change-endpoints');
    const current = await requireReached(operator, 'endpoint', id, resources);
    requireRevision(current, ifMatch);
    return current;
  };

  api.openapi(
    createRoute({
      method: 'get',
      path: endpointPath,
      tags,
      operationId: 'showLimits',
      summary: 'The limits of an endpoint. The `ETag` is that of the endpoint.',
      request: { params },
      responses: answers({ 200: limitsSchema }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const stored = await requireReached(operator, 'endpoint', context.req.valid('param').id, resources);
      const body: Declared = { limits: declareLimits(stored.resource.limits) };
      return context.json(body, 200, { etag: etagOf(stored) });
    },
  );

  api.openapi(
    createRoute({
      method: 'put',
      path: endpointPath,
      tags,
      operationId: 'setLimits',
      summary: 'Set the limits of an endpoint. They replace all former ones.',
      request: { params, query: changeQuery, headers: revisionHeaders, body: bodyOf(limitsBody) },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const { id } = context.req.valid('param');
      const current = await endpointToChange(operator, id, context.req.valid('header')['if-match']);
      // Without the other endpoints: limits change no match, so it cannot collide.
      const planned = planEndpointEdit(current, { [OF_ENDPOINT]: context.req.valid('json').limits }, []);
      const outcome = await carryOut(context.var, 'set', planned, context.req.valid('query'));
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );

  api.openapi(
    createRoute({
      method: 'delete',
      path: endpointPath,
      tags,
      operationId: 'clearLimits',
      summary: 'Remove the limits of an endpoint.',
      request: { params, query: changeQuery, headers: revisionHeaders },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const { id } = context.req.valid('param');
      const current = await endpointToChange(operator, id, context.req.valid('header')['if-match']);
      const planned = planEndpointEdit(current, { [OF_ENDPOINT]: undefined }, []);
      const outcome = await carryOut(context.var, 'clear', planned, context.req.valid('query'));
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: grantLimitsPath,
      tags,
      operationId: 'showGrantLimits',
      summary: 'The own limits of a grant. The `ETag` is that of the grant.',
      request: { params: grantParams },
      responses: answers({ 200: grantLimitsSchema }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { endpoint, holder } = context.req.valid('param');
      const stored = await reachGrant(operator, `${endpoint}/${holder}`, resources);
      const { limits } = stored.resource;
      const body: Declared = { limits: limits === null ? null : declareLimits(limits) };
      return context.json(body, 200, { etag: etagOf(stored) });
    },
  );

  api.openapi(
    createRoute({
      method: 'put',
      path: grantLimitsPath,
      tags,
      operationId: 'setGrantLimits',
      summary: 'Set the own limits of a grant, which replace what the endpoint gives each consumer; `[]` lifts it.',
      request: { params: grantParams, query: changeQuery, headers: revisionHeaders, body: bodyOf(limitsBody) },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const [path, headers] = [context.req.valid('param'), context.req.valid('header')];
      const current = await grantToChange(operator, path, headers, resources);
      const planned = planGrant(current.resource, { limits: context.req.valid('json').limits }, current);
      const outcome = await carryOut(context.var, 'set', planned, context.req.valid('query'));
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );

  api.openapi(
    createRoute({
      method: 'delete',
      path: grantLimitsPath,
      tags,
      operationId: 'clearGrantLimits',
      summary: 'Remove the own limits of a grant: those of the endpoint are in force again.',
      request: { params: grantParams, query: changeQuery, headers: revisionHeaders },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = context.get('operator');
      const [path, headers] = [context.req.valid('param'), context.req.valid('header')];
      const current = await grantToChange(operator, path, headers, resources);
      const planned = planGrant(current.resource, { limits: undefined }, current);
      const outcome = await carryOut(context.var, 'clear', planned, context.req.valid('query'));
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );
}

/** Where an endpoint has its limits. */
const OF_ENDPOINT = 'trafficControl.limits';

function inBody(planned: Planned): Planned {
  if (!('problems' in planned)) return planned;
  const prefix = OF_ENDPOINT.slice(0, OF_ENDPOINT.indexOf('.') + 1);
  const problems = planned.problems.map(({ path, message }) => ({
    path: path.startsWith(prefix) ? path.slice(prefix.length) : path,
    message,
  }));
  return { problems };
}
