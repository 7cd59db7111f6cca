import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { parseAddress } from '../../base/net/address.ts';
import { ID_PATTERN } from '../../model/document/fields.ts';
import type { AccessQuestion } from '../../resources/changes/access.ts';
import { declareAccess, declareJudged } from '../../resources/changes/declare-access.ts';
import { readAccessQuestions } from '../../resources/changes/endpoint-access.ts';
import { fillPage, type Piece } from '../../resources/changes/fill-page.ts';
import { takeFirst } from '../../resources/changes/resource-store.ts';
import { type AccessPage, type ConsumerAccess, listAccessPages } from '../../resources/changes/who-may.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Declared } from '../../resources/declared.ts';
import { accessItem, callerItem } from './access-shapes.ts';
import { requirePermission } from './authenticate.ts';
import type { Cursors } from './cursors.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { labelsWithin, requireReached } from './reach.ts';
import { idParam, labelledListQuery, labelsOf, listQuery, pick } from './request.ts';
import { answers, pageSchema } from './shapes.ts';

const tags = ['Access'];
const params = z.object({ id: idParam });

/** More than any IPv6 address with a zone has. */
const MAX_ADDRESS_CHARACTERS = 100;

const accessQuery = listQuery.extend({
  endpoint: z.string().regex(ID_PATTERN).optional().openapi({ description: 'This endpoint only.' }),
  from: z.string().max(MAX_ADDRESS_CHARACTERS).optional().openapi({
    description: 'Judge a call from this IP address; without it, from one that the lists allow.',
    example: '203.0.113.7',
  }),
});

const callersQuery = labelledListQuery.extend({
  allowed: z.enum(['true', 'false', 'any']).default('true').openapi({
    description:
      'Whether those are listed who may call, those who would be let in but lack a credential that works, or both.',
  }),
});

/** Adds the routes that say who may call what, by which grant, with which limits. */
export function addAccess(api: OpenAPIHono<ApiEnvironment>, { store: { resources }, clock }: ApiPorts): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/consumers/{id}/access',
      tags,
      operationId: 'showAccess',
      summary: 'Whether a consumer may call each endpoint within reach: by what, with which limits, and if not, why.',
      request: { params, query: accessQuery },
      responses: answers({ 200: pageSchema('AccessPage', accessItem) }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { limit, cursor: at, fields, endpoint: only, from } = context.req.valid('query');
      const { resource: consumer } = await requireReached(
        operator,
        'consumer',
        context.req.valid('param').id,
        resources,
      );
      if (only !== undefined) await requireReached(operator, 'endpoint', only, resources);
      if (from !== undefined && parseAddress(from) === null) {
        throw new ApiProblem('MALFORMED_REQUEST', 'from must be an IPv4 or IPv6 address');
      }
      const cursors = context.get('cursors');
      const selection = {
        labels: operator.selector,
        after: cursors.read(at),
        ids: only === undefined ? undefined : [only],
      };
      const endpoints = await takeFirst(resources.list('endpoint', selection), limit + 1);
      const shown = endpoints.slice(0, limit).map(({ resource }) => resource);
      const questions = await readAccessQuestions(resources, consumer, shown);
      const nowSeconds = clock.nowSeconds();
      const items = questions.map((question) => ({
        ...pick({ endpoint: question.endpoint.id, ...declareJudged(askedFrom(question, from), nowSeconds) }, fields),
      }));
      return context.json({ items, nextCursor: nextAfter(shown, endpoints.length > limit, cursors) }, 200);
    },
  );

  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/endpoints/{id}/callers',
      tags,
      operationId: 'listCallers',
      summary: 'The consumers within reach that may call an endpoint: by which grant, with which limits, until when.',
      description: `None of an open endpoint, which lets in every caller, and none of a disabled one. A page may
have fewer items than its limit and still a next one; it is empty only at the end.`,
      request: { params, query: callersQuery },
      responses: answers({ 200: pageSchema('CallerPage', callerItem) }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { limit, cursor: at, fields, allowed, label, q: namedLike } = context.req.valid('query');
      const { resource: endpoint } = await requireReached(
        operator,
        'endpoint',
        context.req.valid('param').id,
        resources,
      );
      const cursors = context.get('cursors');
      const after = cursors.read(at);
      const labels = labelsWithin(operator, labelsOf(label));
      if (labels === null) return context.json({ items: [], nextCursor: null }, 200);
      const selection = { labels, namedLike, after, most: limit + 1 };
      const isWanted = ({ access: { obstacles } }: ConsumerAccess): boolean =>
        allowed === 'any' || (obstacles.length === 0) === (allowed === 'true');
      const pages = listAccessPages(resources, endpoint, clock.nowSeconds(), selection);
      const { shown, next } = await fillPage(choose(pages, isWanted), {
        limit,
        placeOf: ({ consumer }) => consumer.id,
      });
      const items = shown.map((each) => ({ ...pick(showCaller(each, endpoint), fields) }));
      return context.json({ items, nextCursor: next === null ? null : cursors.after(next) }, 200);
    },
  );
}

function askedFrom(question: AccessQuestion, from: string | undefined): AccessQuestion {
  return from === undefined ? question : { ...question, from };
}

function showCaller({ consumer, access }: ConsumerAccess, endpoint: Endpoint): Declared {
  return { consumer: consumer.id, ...declareAccess(endpoint, access), obstacles: access.obstacles };
}

function nextAfter(shown: readonly { readonly id: string }[], hasMore: boolean, cursors: Cursors): string | null {
  const last = shown.at(-1);
  return hasMore && last !== undefined ? cursors.after(last.id) : null;
}

async function* choose(
  pages: AsyncIterable<AccessPage>,
  isWanted: (caller: ConsumerAccess) => boolean,
): AsyncGenerator<Piece<ConsumerAccess, string>> {
  for await (const { letIn, lookedAt, last } of pages) yield { chosen: letIn.filter(isWanted), lookedAt, last };
}
