import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { momentAhead } from '../../model/document/moments.ts';
import type { Change, Planned } from '../../resources/changes/change.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import { issueToken } from '../../resources/changes/operator-token.ts';
import {
  LAST_ADMIN,
  planNewOperator,
  planNewToken,
  planOperatorEdit,
  planOperatorRemoval,
  planTokenRevocation,
  takesLastAdmin,
} from '../../resources/changes/plan-operator.ts';
import { collectAll, Conflict, NotFound, type ResourceStore } from '../../resources/changes/resource-store.ts';
import { declareTime } from '../../resources/declared.ts';
import { operatorKind } from '../../resources/operator.ts';
import { addAction } from './action-route.ts';
import { type Asker, changesOf, commit, operationOf, readMade, refuseNames } from './change.ts';
import { operatorShapes, requireManager, requireOperator, showOperator } from './operators.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { changeQuery, etagAfter, etagOf, idParam, momentBody, requireRevision, revisionHeaders } from './request.ts';
import { answers, bodyOf, changeAnswer, objectOf } from './shapes.ts';
import { wishOfBody, wishOfPatch } from './wish-of-body.ts';

const tags = ['Operators'];
const params = z.object({ id: idParam });
/** A token of the path. */
const tokenParams = z.object({
  id: idParam,
  tokenId: z
    .string()
    .regex(/^[0-9a-z-]{1,63}$/)
    .openapi({
      param: { name: 'tokenId', in: 'path' },
      description: 'The `id` of a token, which is no secret.',
      example: '3f9a1c02',
    }),
});
/** How long a token works where nothing is said, in seconds. */
const USUAL_LIFETIME = 90 * 86_400;
const tokenBody = z
  .object({
    expiresAt: momentBody
      .optional()
      .openapi({ description: `${String(USUAL_LIFETIME / 86_400)} days from now; a year at most.` }),
  })
  .strict()
  .openapi('TokenIssue');
const issued = objectOf('IssuedToken', {
  properties: {
    id: { type: 'string' },
    token: { type: 'string', description: 'It is in this answer only: its hash is kept.' },
    expiresAt: { type: 'string', format: 'date-time' },
  },
  required: ['id', 'token', 'expiresAt'],
});

/** Adds the routes by which admins who reach everything change operators and their tokens. */
export function addOperatorChanges(api: OpenAPIHono<ApiEnvironment>, { store: { resources }, clock }: ApiPorts): void {
  const carryOut = async (asker: Asker, verb: string, changes: readonly Change[], dryRun: string) => {
    // A plan says it, too. The store asks again with the change: others may remove an admin at the same moment.
    await requireOtherAdmin(changes, resources);
    const operation = { ...operationOf(asker, `operator ${verb}`), keepsManager: true };
    return await commit(changes, { resources, operation, isDryRun: dryRun === 'true' });
  };

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/operators',
      tags,
      operationId: 'createOperator',
      summary: 'Add an operator, without a token.',
      request: { query: changeQuery, body: bodyOf(operatorShapes.creation) },
      responses: answers({ 200: changeAnswer, 201: operatorShapes.resource }, { 201: ['ETag', 'Location'] }),
    }),
    async (context) => {
      const operator = requireManager(context.get('operator'));
      const { id: given, ...fields } = context.req.valid('json');
      const id = typeof given === 'string' ? given : '';
      const wish = wishOfBody(fields, operatorKind);
      const planned = planNewOperator(id, wish, null, await resources.find('operator', id));
      const changes = await changesOf(planned, operator, resources);
      const outcome = await carryOut(context.var, 'create', changes, context.req.valid('query').dryRun);
      if (outcome.dryRun) return context.json(outcome, 200);
      const made = await readMade(requireOperator(id, resources));
      return context.json(showOperator(made), 201, { etag: etagOf(made), location: `/v1/operators/${id}` });
    },
  );

  api.openapi(
    createRoute({
      method: 'patch',
      path: '/v1/operators/{id}',
      tags,
      operationId: 'editOperator',
      summary: 'Change an operator, who keeps the tokens: a JSON Merge Patch (RFC 7396).',
      request: { params, query: changeQuery, headers: revisionHeaders, body: bodyOf(operatorShapes.patch) },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      const operator = requireManager(context.get('operator'));
      const current = await requireOperator(context.req.valid('param').id, resources);
      requireRevision(current, context.req.valid('header')['if-match']);
      const patch = context.req.valid('json');
      refuseNames(patch, ['id']);
      const changes = await changesOf(planOperatorEdit(current, wishOfPatch(patch, operatorKind)), operator, resources);
      const outcome = await carryOut(context.var, 'edit', changes, context.req.valid('query').dryRun);
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );

  api.openapi(
    createRoute({
      method: 'delete',
      path: '/v1/operators/{id}',
      tags,
      operationId: 'deleteOperator',
      summary: 'Remove an operator: tokens and sessions end at once.',
      request: { params, query: changeQuery, headers: revisionHeaders },
      responses: answers({ 200: changeAnswer }),
    }),
    async (context) => {
      requireManager(context.get('operator'));
      const current = await requireOperator(context.req.valid('param').id, resources);
      requireRevision(current, context.req.valid('header')['if-match']);
      const changes = planOperatorRemoval(current);
      return context.json(await carryOut(context.var, 'delete', changes, context.req.valid('query').dryRun), 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'post',
      path: '/v1/operators/{id}/tokens:issue',
      tags,
      operationId: 'issueToken',
      summary: 'Issue a token for an operator. It is in this answer only.',
      request: { params, query: changeQuery, body: bodyOf(tokenBody) },
      responses: answers({ 200: changeAnswer, 201: issued }),
    }),
    async (context) => {
      const operator = requireManager(context.get('operator'));
      const current = await requireOperator(context.req.valid('param').id, resources);
      const nowSeconds = clock.nowSeconds();
      const { expiresAt = { distanceSeconds: USUAL_LIFETIME } } = context.req.valid('json');
      const { text, token } = issueToken(current.resource.id, nowSeconds, momentAhead(expiresAt, nowSeconds));
      const planned = planNewToken(current, { text, token });
      const changes = await changesOf(inBody(planned), operator, resources);
      const outcome = await carryOut(context.var, 'token issue', changes, context.req.valid('query').dryRun);
      if (outcome.dryRun) return context.json(outcome, 200);
      return context.json({ id: token.id, token: textOf(text), expiresAt: declareTime(token.expiresAt) }, 201);
    },
  );

  addAction(
    api,
    createRoute({
      method: 'post',
      path: '/v1/operators/{id}/tokens/{tokenId}:revoke',
      tags,
      operationId: 'revokeToken',
      summary: 'Revoke a token: it is refused from then on.',
      request: { params: tokenParams, query: changeQuery },
      responses: answers({ 200: changeAnswer }, { 200: ['ETag'] }),
    }),
    async (context) => {
      requireManager(context.get('operator'));
      const { id, tokenId } = context.req.valid('param');
      const current = await requireOperator(id, resources);
      const changes = planTokenRevocation(current, tokenId);
      if (changes === null) throw new NotFound(`the operator "${id}" has no token "${tokenId}"`);
      const { dryRun } = context.req.valid('query');
      const outcome = await carryOut(context.var, 'token revoke', changes, dryRun);
      return context.json(outcome, 200, { etag: etagAfter(current, outcome) });
    },
  );
}

/** Keeps operators from locking everybody out by accident. The command line may remove the last admin. */
async function requireOtherAdmin(changes: readonly Change[], resources: ResourceStore): Promise<void> {
  const operators = (await collectAll(resources.list('operator'))).map(({ resource }) => resource);
  if (!takesLastAdmin(operators, changes)) return;
  throw new Conflict(LAST_ADMIN);
}

/** Problems by the names of the body. */
function inBody(planned: Planned): Planned {
  if (!('problems' in planned)) return planned;
  return { problems: planned.problems.map(({ message }) => ({ path: 'expiresAt', message })) };
}
