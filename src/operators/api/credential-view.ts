import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { declareHandover } from '../../partners/handover/handover-data.ts';
import { planHandover } from '../../partners/handover/handover-page.ts';
import { readPartnerAccess } from '../../partners/handover/partner-access.ts';
import {
  GATEWAY_ADDRESS_PATTERN,
  type GatewayAddress,
  originOf,
  readGatewayAddress,
} from '../../partners/handover/target.ts';
import { endpointKind } from '../../resources/endpoint.ts';
import { limitKind } from '../../resources/limits.ts';
import { planLimitKind } from '../../resources/plan.ts';
import { requirePermission } from './authenticate.ts';
import { shownKey } from './credential-shapes.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { reachCredential, reaches } from './reach.ts';
import { idParam } from './request.ts';
import { jsonSchemaOf, type JsonSchema } from './schema.ts';
import { answers, objectWith } from './shapes.ts';

const FORM = 'scheme and host, such as https://api.example.com, without path, query or password';
/** Characters of an address. */
const MAX_URL = 300;
const query = z
  .object({
    url: z.string().max(MAX_URL).regex(GATEWAY_ADDRESS_PATTERN, `must be ${FORM}`).optional().openapi({
      description: 'Where partners reach Envoy; POSTERN_PUBLIC_URL without it.',
      example: 'https://api.example.com',
    }),
  })
  .strict();

const text = { type: 'string' } as const;
const time = { ...text, format: 'date-time' } as const;
const match = (jsonSchemaOf(endpointKind, { isShown: true })['properties'] as Readonly<Record<string, JsonSchema>>)[
  'match'
];
const { paths, methods } = match?.['properties'] as Readonly<Record<string, JsonSchema>>;

const viewSchema = objectWith('CredentialView', {
  type: 'object',
  description: 'All that a partner needs to call with a credential, and no secret.',
  properties: {
    credential: text,
    partner: text,
    url: { ...text, description: 'Where the partner calls.' },
    appKey: { ...text, description: 'Absent where it is a secret.' },
    knownBy: {
      type: 'object',
      additionalProperties: text,
      description: 'What it is known by, where it has no App Key: claims of an issuer, or a certificate.',
    },
    key: { ...shownKey, description: 'With which key the partner proves, where it has one.' },
    notBefore: time,
    expiresAt: time,
    formerSecretEndsAt: time,
    allowFrom: {
      type: 'array',
      items: text,
      description: 'The networks that consumer and credential allow both; absent for anywhere.',
    },
    endpoints: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: text,
          description: text,
          authentication: text,
          expiresAt: time,
          paths,
          methods,
          urls: { type: 'array', items: text },
          rules: {
            type: 'object',
            additionalProperties: text,
            description: 'What requests carry, and where; Markdown.',
          },
          client: { type: 'object', description: 'How a signing client is set up.' },
          limits: { type: 'array', items: jsonSchemaOf(limitKind) },
          planLimits: {
            type: 'array',
            items: jsonSchemaOf(planLimitKind),
            description: 'Those of the plan that counts, over all of its endpoints together. Absent without one.',
          },
        },
        required: ['id', 'urls', 'paths', 'methods', 'authentication', 'rules', 'client', 'limits'],
      },
    },
    examples: {
      type: 'object',
      description: 'Requests to compare a program with, signed with a public example secret at a stated time.',
      properties: {
        appKey: text,
        appSecret: text,
        time: { type: 'integer' },
        requests: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              title: text,
              authentication: text,
              unsigned: text,
              stringToSign: text,
              signature: text,
              sent: text,
            },
            required: ['title', 'authentication', 'sent'],
          },
        },
      },
      required: ['appKey', 'appSecret', 'time', 'requests'],
    },
    codes: {
      type: 'array',
      description: 'Refusals that the partner can get, and what they mean.',
      items: {
        type: 'object',
        properties: { code: text, status: { type: 'integer' }, meaning: text },
        required: ['code', 'status', 'meaning'],
      },
    },
    obstacle: {
      type: 'object',
      description: 'Why no request gets in with the credential, where none does.',
      properties: {
        code: { enum: ['revoked', 'expired', 'consumer-disabled', 'no-address', 'no-issuer', 'no-endpoint'] },
        what: text,
      },
      required: ['code', 'what'],
    },
  },
  required: ['credential', 'url', 'endpoints', 'codes'],
});

/** Adds the credential view: what is handed to a partner. */
export function addCredentialView(
  api: OpenAPIHono<ApiEnvironment>,
  { store: { resources }, clock, publicUrl }: ApiPorts,
): void {
  api.openapi(
    createRoute({
      method: 'get',
      path: '/v1/credentials/{id}/view',
      tags: ['Credentials'],
      operationId: 'viewCredential',
      summary: 'What a partner needs to call with a credential: addresses, rules, limits, signed examples, codes.',
      request: { params: z.object({ id: idParam }), query },
      responses: answers({ 200: viewSchema }),
    }),
    async (context) => {
      const operator = context.get('operator');
      requirePermission(operator, 'read');
      const { id } = context.req.valid('param');
      const address = addressOf(context.req.valid('query').url ?? publicUrl?.origin);
      const { credential } = await reachCredential(operator, id, resources);
      const isShown = (endpoint: Parameters<typeof reaches>[1]): boolean => reaches(operator, endpoint);
      const access = await readPartnerAccess(resources, credential.resource, clock.nowSeconds(), isShown);
      if (!('obstacle' in access))
        return context.json({ ...declareHandover(planHandover(access, address, null)) }, 200);
      const obstacle = { code: access.code, what: access.obstacle };
      return context.json({ credential: id, url: originOf(address), endpoints: [], codes: [], obstacle }, 200);
    },
  );
}

function addressOf(url: string | undefined): GatewayAddress {
  const address = url === undefined ? null : readGatewayAddress(url);
  if (address !== null) return address;
  throw new ApiProblem('MALFORMED_REQUEST', `url must be ${FORM}`);
}
