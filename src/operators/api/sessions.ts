import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { declareTime } from '../../resources/declared.ts';
import { parseJson } from '../../model/document/json.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem } from './problem.ts';
import { beginSession } from './session-token.ts';
import { answers } from './shapes.ts';

/** The path at which an ID token is shown in place of a token of an operator. */
export const SESSIONS_PATH = '/v1/sessions';
/** Of an access token: longer than what providers issue. */
export const MAX_ACCESS_TOKEN_CHARACTERS = 8192;

/** What may come with an ID token. */
const sessionWish = z
  .object({
    accessToken: z
      .string()
      .min(1)
      .max(MAX_ACCESS_TOKEN_CHARACTERS)
      .regex(/^[A-Za-z0-9._~+/-]+=*$/)
      .optional()
      .openapi({ description: 'Of the same person: for claims that the provider tells at UserInfo only.' }),
  })
  .strict()
  .openapi('SessionWish');
const session = z
  .object({
    token: z.string().openapi({ description: 'For `Authorization: Bearer`. In this answer only.' }),
    expiresAt: z.iso.datetime(),
  })
  .openapi('Session');
const ended = z.object({ ended: z.literal(true) }).openapi('EndedSession');

/** The access token that came with an ID token; null for none. Throws `MALFORMED_REQUEST`. */
export function readAccessToken(body: string): string | null {
  if (body === '') return null;
  const { success, data } = sessionWish.safeParse(parseJson(body));
  if (!success) throw new ApiProblem('MALFORMED_REQUEST', 'the body has not the form that the document says');
  return data.accessToken ?? null;
}

/** Adds the routes by which a command exchanges an ID token for a session, and ends it. */
export function addSessions(api: OpenAPIHono<ApiEnvironment>, { people = null, clock }: ApiPorts): void {
  const tags = ['Operators'];

  api.openapi(
    createRoute({
      method: 'post',
      path: SESSIONS_PATH,
      tags,
      operationId: 'beginSession',
      summary: 'Exchanges an ID token of the OpenID Connect provider, as the bearer token, for a session of one hour.',
      request: { body: { content: { 'application/json': { schema: sessionWish } } } },
      responses: answers({ 201: session }),
    }),
    async (context) => {
      if (context.req.header('idempotency-key') !== undefined) {
        throw new ApiProblem('MALFORMED_REQUEST', 'a session is begun anew each time: send no Idempotency-Key');
      }
      const proof = context.get('proof');
      if (people === null || proof.by !== 'id-token') {
        throw new ApiProblem('FORBIDDEN', 'a session begins with an ID token only: use this proof itself');
      }
      const { id } = context.get('operator');
      const begun = await beginSession(id, proof.subject, {
        sessions: people.sessions,
        nowSeconds: () => clock.nowSeconds(),
      });
      return context.json({ token: textOf(begun.token), expiresAt: declareTime(begun.expiresAt) }, 201);
    },
  );

  api.openapi(
    createRoute({
      method: 'delete',
      path: `${SESSIONS_PATH}/current`,
      tags,
      operationId: 'endSession',
      summary: 'Ends the session whose token this request has.',
      responses: answers({ 200: ended }),
    }),
    async (context) => {
      const proof = context.get('proof');
      if (people === null || proof.by !== 'session') {
        throw new ApiProblem('FORBIDDEN', 'this request has no token of a session; revoke an own token instead');
      }
      await people.sessions.remove(proof.hash);
      return context.json({ ended: true } as const, 200);
    },
  );
}
