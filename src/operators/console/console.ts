import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { routePath } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';
import { ApiProblem, type ProblemBody, problemBody, problemOf } from '../api/problem.ts';
import { type RequestShare, RequestShares } from '../api/request-shares.ts';
import { ApiClient, ProblemAnswer } from './frame/api-client.ts';
import { Assets } from './frame/assets.ts';
import { isForm, MAX_FORM_BYTES, readForm } from './frame/form.ts';
import { findForgery, FORM_TOKEN_FIELD } from './frame/form-token.ts';
import { withQuery } from './frame/html.ts';
import { layout, type MenuEntry } from './frame/layout.ts';
import { findNotice } from './frame/notices.ts';
import type { CsvTable, Page, Shown, Visit } from './frame/page.ts';
import { problemPage } from './frame/problem-page.ts';
import { originOf } from './frame/request-origin.ts';
import { requireUse } from './frame/rights.ts';
import { pages } from './pages.ts';
import { csvName, csvText } from './parts/csv.ts';
import type { ConsoleEnvironment, ConsolePorts, ConsoleSession } from './ports.ts';
import { hasSessionCookie } from './sign-in/cookies.ts';
import { forgetForm, keepForm, readKeptForm } from './sign-in/kept-form.ts';
import { signInPath } from './sign-in/return-path.ts';
import { addSignIn } from './sign-in/sign-in.ts';

/**
 * Browsers load nothing from elsewhere, run no script and apply no style of the page itself, and show it in no frame.
 */
const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  scriptSrc: ["'self'"],
  imgSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
};

/** A year, which is as long as caches keep anything. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

type ConsoleContext = Context<ConsoleEnvironment>;

/**
 * The console: pages for operators, made on the server. It is a client of the management API in the same process, as
 * the operator who is signed in.
 */
export function createConsole(ports: ConsolePorts): Hono<ConsoleEnvironment> {
  const { clock, observer } = ports;
  const assets = new Assets();
  const shares = new RequestShares(clock);
  const menu = pages.flatMap(({ path, needs, menu: entry }): MenuEntry[] =>
    entry === undefined ? [] : [{ path, needs, ...entry }],
  );
  const app = new Hono<ConsoleEnvironment>();
  const send = async (context: ConsoleContext, shown: Shown): Promise<Response> => {
    const notice = findNotice(context.req.query('done') ?? null);
    const session = context.get('session') as ConsoleSession | null | undefined;
    const pathOf = assets.pathOf.bind(assets);
    const { path } = context.req;
    const search = path === '/search' ? (context.req.query('q') ?? '') : '';
    const frame = { pathOf, menu, session: session ?? null, search, path, notice };
    return context.html(await layout(shown, frame), (shown.status ?? 200) as 200);
  };

  app.use(async (context, next) => {
    const startMs = clock.elapsedMs();
    const requestId = randomUUID();
    context.set('requestId', requestId);
    await next();
    context.header('x-request-id', requestId);
    if (!context.res.headers.has('cache-control')) context.header('cache-control', 'no-store');
    const session = context.get('session') as ConsoleSession | null | undefined;
    observer.answered({
      requestId,
      part: 'page',
      operator: session?.operator.id ?? null,
      method: context.req.method,
      route: session === null || session === undefined ? null : routePath(context),
      status: context.res.status,
      seconds: (clock.elapsedMs() - startMs) / 1000,
    });
  });
  // With no-referrer, browsers would say `Origin: null` in our own forms.
  app.use(secureHeaders({ contentSecurityPolicy, referrerPolicy: 'same-origin', xFrameOptions: 'DENY' }));
  app.get('/assets/*', (context) => {
    const asset = assets.find(context.req.path);
    if (asset === null) return context.text('there is no such file\n', 404);
    return context.body(asset.content, 200, { 'content-type': asset.type, 'cache-control': FOR_GOOD });
  });
  app.use(
    bodyLimit({
      maxSize: MAX_FORM_BYTES,
      onError: () => {
        throw new ApiProblem('BODY_TOO_LARGE', `at most ${String(MAX_FORM_BYTES)} bytes are taken`);
      },
    }),
  );
  // Each of these asks the store who sends it.
  app.use(async ({ env, req }, next) => {
    shares.take(shareOf(req.raw), env.source);
    await next();
  });
  if (ports.signIn !== undefined) addSignIn(app, ports.signIn, { send, throttle: shares.throttle });
  app.use(async (context, next) => {
    const session = await ports.findSession(context.req.raw, context.env);
    context.set('session', session);
    if (session !== null) {
      await next();
      return undefined;
    }
    const kept = await keptOf(context.req.raw);
    if (kept !== null) context.header('set-cookie', kept);
    return context.redirect(signInPath(context.req.raw, kept !== null), 303);
  });
  for (const page of pages) addPage(app, page, ports, send);
  app.notFound(() => {
    throw new ApiProblem('NOT_FOUND', 'There is no page at this address.');
  });
  app.onError(async (error, context) => {
    const problem = toldOf(error, context, ports);
    if (error instanceof ApiProblem && error.more.retryAfter !== undefined) {
      context.header('retry-after', String(error.more.retryAfter));
    }
    return await send(context, problemPage(problem));
  });
  return app;
}

/**
 * Pages of other sites make a browser send requests, without the cookie of a session: those count apart from the ones
 * of the operator, and from those of somebody who is about to sign in.
 */
function shareOf(request: Request): RequestShare {
  const origin = originOf(request);
  if (origin === 'other') return 'stranger';
  if (hasSessionCookie(request)) return 'operator';
  return request.headers.has('sec-fetch-site') ? 'visitor' : 'stranger';
}

const formPaths = pages.flatMap(({ path, keepsForm }) => (keepsForm === true ? [path] : []));
const formPattern = new RegExp(`^(?:${formPaths.map((path) => path.replaceAll(/:[a-z]+/gi, '[^/]+')).join('|')})$`);

/** The `Set-Cookie` for a form of this console that came without a session; null for any other request. */
async function keptOf(request: Request): Promise<string | null> {
  const { pathname } = new URL(request.url);
  if (request.method !== 'POST' || originOf(request) !== 'own' || !formPattern.test(pathname)) return null;
  return isForm(request) ? keepForm(pathname, await request.text()) : null;
}

function addPage(
  app: Hono<ConsoleEnvironment>,
  { path, needs, show, csv, submit }: Page,
  { api, clock, jobs }: ConsolePorts,
  send: (context: ConsoleContext, shown: Shown) => Promise<Response>,
): void {
  const visitOf = (context: ConsoleContext): Visit => {
    const { operator, csrfToken } = sessionOf(context);
    requireUse(operator, needs);
    const query = new URL(context.req.url).searchParams;
    const kept = context.req.method === 'GET' ? readKeptForm(context.req.raw, context.req.path) : null;
    if (kept !== null) context.header('set-cookie', forgetForm());
    const param = (name: string): string => context.req.param(name) ?? '';
    return {
      operator,
      csrfToken,
      query,
      kept,
      param,
      path: context.req.path,
      api: new ApiClient(api, operator),
      jobs,
      nowSeconds: clock.nowSeconds(),
    };
  };
  app.get(path, async (context) => {
    const visit = visitOf(context);
    const format = visit.query.get('format');
    if (format === null) return await send(context, await show(visit));
    if (format !== 'csv' || csv === undefined) {
      throw new ApiProblem('MALFORMED_REQUEST', `This page has no format "${format}".`);
    }
    return sendCsv(context, await csv(visit), visit.nowSeconds);
  });
  if (submit === undefined) return;
  app.post(path, async (context) => {
    const form = await readForm(context.req.raw);
    const forgery = findForgery(context.req.raw, form.text(FORM_TOKEN_FIELD), sessionOf(context).csrfToken);
    if (forgery !== null) throw new ApiProblem('FORBIDDEN', forgery);
    const done = await submit(visitOf(context), form);
    if ('href' in done) return context.redirect(withQuery(done.href, { done: done.notice }), 303);
    return await send(context, done);
  });
}

function sendCsv(context: ConsoleContext, file: CsvTable, nowSeconds: number): Response {
  return context.body(csvText(file), 200, {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="${csvName(file, nowSeconds)}"`,
  });
}

function sessionOf(context: ConsoleContext): ConsoleSession {
  const session = context.get('session');
  if (session === null) throw new Error('a page was reached without a session');
  return session;
}

function toldOf(error: Error, context: ConsoleContext, { observer }: ConsolePorts): ProblemBody {
  if (error instanceof ProblemAnswer) return error.problem;
  const requestId = context.get('requestId');
  const { incoming } = context.env;
  const wasCut = incoming.destroyed && !incoming.complete;
  const cut = wasCut ? new ApiProblem('MALFORMED_REQUEST', 'The body was not sent whole.') : null;
  const problem = problemOf(error) ?? cut;
  if (problem === null) observer.defect(error, requestId);
  return problemBody(problem ?? new ApiProblem('INTERNAL', 'The log names the request by its id.'), requestId);
}
