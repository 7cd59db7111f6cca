import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { notFound, type ResourceStore } from '../../resources/changes/resource-store.ts';
import { type Operator, operatorPermissions, permissionsOf } from '../../model/operator.ts';
import { declareVersion } from '../../resources/declare-resource.ts';
import { declareTime } from '../../resources/declared.ts';
import { declareOperator, operatorKind } from '../../resources/operator.ts';
import type { Stored } from '../../resources/resource.ts';
import { ApiProblem } from './problem.ts';
import { orderParam, orderPlace, readOrder } from './list-order.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { type Proof, proofWays } from './proof.ts';
import { etagOf, idParam, listQuery, pick } from './request.ts';
import { answers, objectOf, pageSchema, readListPage, resourceSchemas } from './shapes.ts';
import { ONLY_ADMINISTRATORS } from '../../resources/changes/rights/operator-rights.ts';
import { managesOperators } from './sight.ts';

const sortedListQuery = listQuery.extend({ sort: orderParam });
const time = { type: 'string', format: 'date-time' } as const;
const token = {
  type: 'object',
  properties: { id: { type: 'string' }, createdAt: time, expiresAt: time },
  required: ['id', 'createdAt', 'expiresAt'],
} as const;
/** The shapes of operators. */
export const operatorShapes = resourceSchemas('Operator', operatorKind, {
  properties: {
    tokens: { type: 'array', items: token, description: 'By their ids: the tokens themselves are not kept.' },
  },
  required: [],
});
const me = objectOf('Me', {
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    role: { type: 'string' },
    selector: { type: 'object', additionalProperties: { type: 'string' }, description: 'Empty: everything.' },
    hosts: { type: 'array', items: { type: 'string' }, description: 'Of endpoints to change. Empty: any.' },
    pathPrefixes: { type: 'array', items: { type: 'string' }, description: 'Of endpoints to change. Empty: any.' },
    permissions: { type: 'array', items: { type: 'string', enum: [...operatorPermissions] } },
    tokens: { type: 'array', items: token },
    proof: {
      type: 'object',
      description: 'What shows who asks; `id` is that of a token, and `expiresAt` when the token or session ends.',
      properties: { by: { type: 'string', enum: [...proofWays] }, id: { type: 'string' }, expiresAt: time },
      required: ['by'],
    },
  },
  required: ['id', 'role', 'selector', 'hosts', 'pathPrefixes', 'permissions', 'tokens', 'proof'],
});
const params = z.object({ id: idParam });

/** Adds the routes by which operators see themselves, and admins who reach everything manage operators. */
export function addOperators(api: OpenAPIHono<ApiEnvironment>, { store: { resources } }: ApiPorts): void {
  const tags = ['Operators'];

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/operators/me',
      tags,
      operationId: 'showMe',
      summary: 'Who asks: role, permissions and labels. Every role may see this.',
      responses: answers({ 200: me }),
    }),
    (context) => {
      const { id, name, role, selector = {}, tokens = [] } = declareOperator(context.get('operator'));
      const { hosts, pathPrefixes } = context.get('operator');
      const permissions = [...permissionsOf(context.get('operator').role)];
      const bounds = { selector, hosts: [...hosts], pathPrefixes: [...pathPrefixes] };
      const proof = showProof(context.get('proof'));
      return context.json({ id, name, role, ...bounds, permissions, tokens, proof }, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/operators',
      tags,
      operationId: 'listOperators',
      summary: 'The operators, in the order of their ids unless `sort` says otherwise. For admins without labels.',
      request: { query: sortedListQuery },
      responses: answers({ 200: pageSchema('OperatorPage', operatorShapes.resource) }),
    }),
    async (context) => {
      requireManager(context.get('operator'));
      const { limit, cursor: from, fields, sort } = context.req.valid('query');
      const cursors = context.get('cursors');
      const listed = resources.list('operator', { ...readOrder(sort, from, cursors), most: limit + 1 });
      const placeOf = (stored: Stored<Operator>): string => orderPlace(sort, stored.resource.id, stored);
      const page = await readListPage(listed, { limit, cursors, placeOf }, (each) => pick(showOperator(each), fields));
      return context.json(page, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/operators/{id}',
      tags,
      operationId: 'showOperator',
      summary: 'One of the operators, with the ids of the tokens. For admins without labels.',
      request: { params },
      responses: answers({ 200: operatorShapes.resource }, { 200: ['ETag'] }),
    }),
    async (context) => {
      requireManager(context.get('operator'));
      const { id } = context.req.valid('param');
      const stored = await requireOperator(id, resources);
      return context.json(showOperator(stored), 200, { etag: etagOf(stored) });
    },
  );
}

/** An operator as it is read, without the hashes of tokens. */
export function showOperator(stored: Stored<Operator>): Record<string, unknown> {
  return { ...declareOperator(stored.resource), ...declareVersion(stored) };
}

/** Throws `NotFound` for an unknown id. The caller must be allowed to manage operators. */
export async function requireOperator(id: string, resources: Pick<ResourceStore, 'find'>): Promise<Stored<Operator>> {
  const stored = await resources.find('operator', id);
  if (stored === null) throw notFound('operator', id, []);
  return stored;
}

/** Gives the operator back. Throws `FORBIDDEN` for one who does not manage operators. */
export function requireManager(operator: Operator): Operator {
  if (managesOperators(operator)) return operator;
  throw new ApiProblem('FORBIDDEN', ONLY_ADMINISTRATORS);
}

function showProof(proof: Proof): Record<string, string> {
  const { by } = proof;
  const id: Record<string, string> = by === 'token' ? { id: proof.id } : {};
  return by === 'token' || by === 'session' ? { by, ...id, expiresAt: declareTime(proof.expiresAt) } : { by };
}
