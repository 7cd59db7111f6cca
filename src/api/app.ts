import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { routePath } from 'hono/route';
import { Throttle } from '../oauth2/throttle.ts';
import { addAccess } from './access.ts';
import { documentedPath } from './action-route.ts';
import { addAudit } from './audit.ts';
import { authenticate } from './authenticate.ts';
import { addCredentialChanges } from './change-credentials.ts';
import { addGrantChanges } from './change-grants.ts';
import { addOperatorChanges } from './change-operators.ts';
import { addCredentialView } from './credential-view.ts';
import { addCredentialReading } from './credentials.ts';
import { describeApi } from './document.ts';
import { addGrantReading } from './grants.ts';
import { addLimits } from './limits.ts';
import { answerOnce } from './idempotency.ts';
import { addLabelledResource } from './labelled-resource.ts';
import { refuseOtherMethods } from './methods.ts';
import { addOperators } from './operators.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { ApiProblem, problemBody, problemOf, problems } from './problem.ts';
import { addRefusals } from './refusals.ts';
import { addReplicas } from './replicas.ts';
import { consumers, endpoints } from './resources.ts';
import { addRevert } from './revert.ts';
import { addUsage } from './usage.ts';

/** A resource is far smaller. */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * The management API: every route below `/v1` needs an operator. What a request throws becomes a problem (RFC 9457); a
 * defect is reported and answered without its text.
 */
export function createApi(ports: ApiPorts): OpenAPIHono<ApiEnvironment> {
  const { clock, observer, store } = ports;
  const throttle = new Throttle(clock);
  const api = new OpenAPIHono<ApiEnvironment>({
    strict: true,
    defaultHook: (result) => {
      if (result.success) return;
      const errors = result.error.issues.map(({ path, message }) => ({
        pointer: path.map((part) => `/${String(part)}`).join(''),
        detail: message,
      }));
      const where = result.target === 'json' ? 'the body' : `the ${result.target}`;
      throw new ApiProblem('MALFORMED_REQUEST', `${where} has not the form that the document says`, { errors });
    },
  });

  api.use(async (context, next) => {
    const startMs = clock.elapsedMs();
    const requestId = randomUUID();
    context.set('requestId', requestId);
    await next();
    context.header('x-request-id', requestId);
    const operator = (context.get('operator') as { readonly id: string } | undefined)?.id ?? null;
    observer.answered({
      ...{ requestId, operator, method: context.req.method, status: context.res.status },
      part: 'via' in context.env ? 'inner' : 'api',
      route: context.res.status === 404 && operator === null ? null : documentedPath(routePath(context)),
      seconds: (clock.elapsedMs() - startMs) / 1000,
    });
  });
  api.use(secureHeaders({ referrerPolicy: 'no-referrer', xFrameOptions: 'DENY' }));
  api.use(async (context, next) => {
    await next();
    context.header('cache-control', 'no-store');
  });
  api.use(
    '/v1/*',
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        throw new ApiProblem('BODY_TOO_LARGE', `at most ${String(MAX_BODY_BYTES)} bytes are taken`);
      },
    }),
  );
  api.use('/v1/*', async (context, next) => {
    const { env } = context;
    if ('via' in env) {
      context.set('operator', env.operator);
    } else {
      const presented = {
        authorization: context.req.header('authorization') ?? null,
        certificateNames: isOfBrowser(context.req.raw) ? [] : (env.certificateNames ?? []),
        source: env.incoming.socket.remoteAddress ?? 'unix',
      };
      const authentication = { resources: store.resources, throttle, nowSeconds: () => clock.nowSeconds() };
      context.set('operator', await authenticate(presented, authentication));
    }
    context.set('via', 'via' in env ? env.via : 'api');
    context.set('reason', context.req.query('reason'));
    await next();
  });
  // After authentication, so that only operators learn which routes exist.
  api.use(refuseOtherMethods(api.routes));
  api.use('/v1/*', async (context, next) => {
    requireJson(context.req.raw);
    await next();
  });
  const answersOnce: MiddlewareHandler<ApiEnvironment> = async (context, next) =>
    await answerOnce(context, next, {
      ...{ once: store.once, clock },
      onLost: (error) => {
        observer.answerLost(error, context.get('requestId'));
      },
    });
  api.use('/v1/*', answersOnce);

  api.get('/livez', (context) => context.text('ok\n'));
  api.get('/readyz', async (context) => {
    await store.resources.find('operator', 'readyz');
    return context.text('ready\n');
  });
  addLabelledResource(api, ports, endpoints);
  addLabelledResource(api, ports, consumers);
  addCredentialReading(api, ports);
  addCredentialView(api, ports);
  addCredentialChanges(api, ports);
  addGrantReading(api, ports);
  addGrantChanges(api, ports);
  addLimits(api, ports);
  addAccess(api, ports);
  addAudit(api, ports);
  addRevert(api, ports);
  addUsage(api, ports);
  addRefusals(api, ports);
  addReplicas(api, ports);
  addOperators(api, ports);
  addOperatorChanges(api, ports);
  // Made when somebody asks for it: it takes as long as everything else at the start together.
  let document: ReturnType<typeof describeApi> | undefined;
  api.get('/openapi.json', (context) => {
    document ??= describeApi(api);
    return context.json(document);
  });

  // Not thrown: what is thrown here passes the handlers above by, and the headers that they set.
  api.notFound((context) =>
    answerProblem(context, new ApiProblem('NOT_FOUND', 'there is no such route; GET /openapi.json names all')),
  );
  api.onError((error, context) => {
    const problem = problemOf(error) ?? problemOfFramework(error);
    if (problem === null) observer.defect(error, context.get('requestId'));
    return answerProblem(context, problem ?? new ApiProblem('INTERNAL', 'the log names the request by its id'));
  });
  return api;
}

function answerProblem(context: Context<ApiEnvironment>, problem: ApiProblem): Response {
  const { retryAfter, headers } = problem.more;
  return context.json(problemBody(problem, context.get('requestId')), problems[problem.code].status, {
    ...headers,
    ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    'content-type': 'application/problem+json',
  });
}

/** Browsers show certificates to whatever page sends a request, so that these identify programs only. */
function isOfBrowser({ headers }: Request): boolean {
  return headers.has('sec-fetch-site') || headers.has('origin');
}

/** A body is JSON, or none. `application/merge-patch+json` is what RFC 7396 calls it. */
function requireJson({ headers, method }: Request): void {
  if (method === 'GET' || method === 'HEAD' || headers.get('content-length') === '0') return;
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined || type === 'application/json' || type === 'application/merge-patch+json') return;
  throw new ApiProblem('UNSUPPORTED_MEDIA_TYPE', 'the media type of the body must be application/json');
}

/** What the framework itself refuses, such as a body that is not JSON. */
function problemOfFramework(error: Error): ApiProblem | null {
  if (!(error instanceof HTTPException) || error.status >= 500) return null;
  return new ApiProblem('MALFORMED_REQUEST', error.status === 400 ? 'the body is not JSON' : error.message);
}
