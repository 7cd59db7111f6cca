import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { routePath } from 'hono/route';
import { noLabelOwners } from '../../model/label-owners.ts';
import { Throttle } from '../../base/throttle.ts';
import { addAccess } from './access.ts';
import { documentedPath } from './action-route.ts';
import { addAudit } from './audit.ts';
import { authenticate, idTokenOf, type Presented } from './authenticate.ts';
import { addRecordChanges, changesPath, MAX_CHANGES_BYTES } from './change-records.ts';
import { addCredentialChanges } from './change-credentials.ts';
import { addGrantChanges } from './change-grants.ts';
import { addOperatorChanges } from './change-operators.ts';
import { addSecretComparing } from './compare-secrets.ts';
import { addCredentialView } from './credential-view.ts';
import { addCredentialReading } from './credentials.ts';
import { describeApi } from './document.ts';
import { addRequestExplaining } from './explain-request.ts';
import { addGrantReading } from './grants.ts';
import { addLimits } from './limits.ts';
import { keepAttempt, MetBeyond } from './beyond-reach.ts';
import { cursorsOf } from './cursors.ts';
import { FewAtOnce } from './few-at-once.ts';
import { answerOnce } from './idempotency.ts';
import { requireJsonBody } from './json-body.ts';
import { addLabelledResource } from './labelled-resource.ts';
import { refuseOtherMethods } from './methods.ts';
import { addOperations } from './operations.ts';
import { addOperators } from './operators.ts';
import { addPlans } from './plans.ts';
import type { ApiEnvironment, ApiPorts } from './ports.ts';
import { addProtectedResource, PROTECTED_RESOURCE_PATH } from './protected-resource.ts';
import { ApiProblem, problemBody, problemOf, problems, storeUnavailable } from './problem.ts';
import { addRecords } from './records.ts';
import { addRefusals } from './refusals.ts';
import { addReplicas } from './replicas.ts';
import { type RequestShare, RequestShares } from './request-shares.ts';
import { consumers, endpoints, issuers } from './resources.ts';
import { addRevert } from './revert.ts';
import { addSessions, readAccessToken, SESSIONS_PATH } from './sessions.ts';
import { addUsageRanking } from './usage-ranking.ts';
import { addUsage } from './usage.ts';

/** A resource is far smaller. */
export const MAX_BODY_BYTES = 256 * 1024;

/**
 * Requests at once that hold all endpoints of the store, which are 16 MiB as MongoDB keeps them, and more in memory.
 */
export const MAX_HOLDING_ENDPOINTS = 2;

/**
 * Whether a request reads all endpoints: to plan a change of one, to undo, to explain a request, to say what a
 * credential may call, or what is used of a plan.
 */
function holdsEndpoints({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'GET'
    ? /^\/v1\/(?:credentials\/|plans\/[^/]*\/usage$)/.test(path)
    : /^\/v1\/(?:endpoints|audit|refusals)(?:\/|$)/.test(path) || path === changesPath;
}

/**
 * The management API: every route below `/v1` needs an operator. What a request throws becomes a problem (RFC 9457); a
 * defect is reported and answered without its text.
 */
export function createApi(ports: ApiPorts): OpenAPIHono<ApiEnvironment> {
  const { clock, observer, store, labelOwners = noLabelOwners, people = null } = ports;
  const shares = new RequestShares(clock);
  const attempts = { audit: store.audit, throttle: new Throttle(clock) };
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
    const unread = 'unread' in context.env ? context.env.unread : null;
    const isNowhere = unread !== null || (context.res.status === 404 && operator === null);
    observer.answered({
      requestId,
      operator,
      method: unread?.method ?? context.req.method,
      status: context.res.status,
      part: 'via' in context.env ? 'inner' : 'api',
      route: isNowhere ? null : documentedPath(routePath(context)),
      seconds: (clock.elapsedMs() - startMs) / 1000,
      ...(unread === null ? {} : { reason: unread.reason }),
    });
  });
  api.use(secureHeaders({ referrerPolicy: 'no-referrer', xFrameOptions: 'DENY' }));
  api.use(async (context, next) => {
    await next();
    context.header('cache-control', 'no-store');
  });
  api.use(async (context, next) => {
    const { env } = context;
    if (!('unread' in env)) {
      await next();
      return undefined;
    }
    const { status, reason } = env.unread;
    if (status === 400) throw new ApiProblem('MALFORMED_REQUEST', reason);
    return context.body(null, status);
  });
  const [usualBody, changesBody] = [MAX_BODY_BYTES, MAX_CHANGES_BYTES].map((maxSize) =>
    bodyLimit({
      maxSize,
      onError: () => {
        throw new ApiProblem('BODY_TOO_LARGE', `at most ${String(maxSize)} bytes are taken`);
      },
    }),
  ) as [MiddlewareHandler<ApiEnvironment>, MiddlewareHandler<ApiEnvironment>];
  const limitsBody: MiddlewareHandler<ApiEnvironment> = async (context, next) =>
    context.req.path === changesPath ? await changesBody(context, next) : await usualBody(context, next);
  api.use('/v1/*', limitsBody);
  // What comes with an ID token is read before anybody is authenticated.
  api.use(SESSIONS_PATH, requireJsonBody);
  api.use('/v1/*', async (context, next) => {
    const { env, req } = context;
    if ('via' in env) {
      context.set('operator', env.operator);
      context.set('proof', { by: 'console' });
    } else if ('incoming' in env) {
      const { source } = env;
      const presented = {
        authorization: req.header('authorization') ?? null,
        certificateNames: isOfBrowser(req.raw) ? [] : env.certificateNames,
        source,
      };
      shares.take(shareOf(presented), source);
      const authentication = {
        resources: store.resources,
        sessions: people?.sessions ?? null,
        throttle: shares.throttle,
        nowSeconds: () => clock.nowSeconds(),
      };
      const idToken = req.method === 'POST' && req.path === SESSIONS_PATH ? idTokenOf(presented) : null;
      if (idToken === null || people === null) {
        const { operator, proof } = await authenticate(presented, authentication);
        context.set('operator', operator);
        context.set('proof', proof);
      } else {
        const accessToken = readAccessToken(await req.text());
        const { operator, subject } = await people.identify({ idToken, accessToken, address: env.address });
        context.set('operator', operator);
        context.set('proof', { by: 'id-token', subject });
      }
    }
    context.set('via', 'via' in env ? env.via : 'api');
    context.set('reason', context.req.query('reason'));
    context.set('labelOwners', labelOwners);
    context.set('cursors', cursorsOf(ports.cursors, context.get('operator').id, context.req.path));
    await next();
  });
  // After authentication, so that only operators learn which routes exist.
  api.use(refuseOtherMethods(api.routes));
  api.use('/v1/*', requireJsonBody);
  const answersOnce: MiddlewareHandler<ApiEnvironment> = async (context, next) =>
    await answerOnce(context, next, {
      once: store.once,
      clock,
      onLost: (error) => {
        observer.answerLost(error, context.get('requestId'));
      },
    });
  api.use('/v1/*', answersOnce);

  const few = new FewAtOnce(MAX_HOLDING_ENDPOINTS);
  api.use('/v1/*', async ({ req }, next) => {
    if (holdsEndpoints(req)) await few.run(next);
    else await next();
  });

  for (const path of ['/livez', '/readyz', '/openapi.json', PROTECTED_RESOURCE_PATH]) {
    api.use(path, async ({ env }, next) => {
      if ('incoming' in env) shares.take('probe', env.source);
      await next();
    });
  }
  api.get('/livez', (context) => context.text('ok\n'));
  api.get('/readyz', (context) => {
    const reason = ports.findUnreadiness();
    if (reason !== null) throw storeUnavailable(reason);
    return context.text('ready\n');
  });
  addLabelledResource(api, ports, endpoints);
  addLabelledResource(api, ports, consumers);
  addLabelledResource(api, ports, issuers);
  addCredentialReading(api, ports);
  addCredentialView(api, ports);
  addCredentialChanges(api, ports);
  addGrantReading(api, ports);
  addGrantChanges(api, ports);
  addLimits(api, ports);
  addPlans(api, ports);
  addRecords(api, ports);
  addSecretComparing(api, ports);
  addRecordChanges(api, ports);
  addAccess(api, ports);
  addAudit(api, ports);
  addOperations(api, ports);
  addRevert(api, ports);
  addUsage(api, ports);
  addUsageRanking(api, ports);
  addRefusals(api, ports);
  addRequestExplaining(api, ports);
  addReplicas(api, ports);
  addOperators(api, ports);
  addOperatorChanges(api, ports);
  addSessions(api, ports);
  if (people !== null) addProtectedResource(api, people);
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
  const answerOf = async (error: Error, context: Context<ApiEnvironment>): Promise<ApiProblem | null> => {
    if (!(error instanceof MetBeyond)) {
      return problemOf(error) ?? problemOfFramework(error) ?? problemOfTransfer(context.env);
    }
    const route = documentedPath(routePath(context, -1));
    try {
      return await keepAttempt(error, { ...context.var, method: context.req.method, route }, attempts);
    } catch (unkept) {
      return problemOf(unkept);
    }
  };
  api.onError(async (error, context) => {
    const problem = await answerOf(error, context);
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

/** A page makes a browser show its certificate, and not an `Authorization` that it does not know. */
function shareOf({ authorization, certificateNames }: Presented): RequestShare {
  return authorization !== null || certificateNames.length > 0 ? 'operator' : 'stranger';
}

/** What the framework itself refuses, such as a body that is not JSON. */
function problemOfFramework(error: Error): ApiProblem | null {
  if (!(error instanceof HTTPException) || error.status >= 500) return null;
  return new ApiProblem('MALFORMED_REQUEST', error.status === 400 ? 'the body is not JSON' : error.message);
}

/** A body that ended early, or is malformed as chunks: then there may be nobody left to read the answer. */
function problemOfTransfer(env: ApiEnvironment['Bindings']): ApiProblem | null {
  if (!('incoming' in env) || !env.incoming.destroyed || env.incoming.complete) return null;
  return new ApiProblem('MALFORMED_REQUEST', 'the body was not sent whole');
}
