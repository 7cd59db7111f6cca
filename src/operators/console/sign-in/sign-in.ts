import type { Context, Hono } from 'hono';
import { authenticateToken } from '../../api/authenticate.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { Clock } from '../../../base/clock.ts';
import { findOperator } from '../../../resources/changes/find-operator.ts';
import type { ResourceStore } from '../../../resources/changes/resource-store.ts';
import type { Throttle } from '../../../base/throttle.ts';
import { findForgery, FORM_TOKEN_FIELD } from '../frame/form-token.ts';
import { readForm } from '../frame/form.ts';
import type { Shown } from '../frame/page.ts';
import { originOf } from '../frame/request-origin.ts';
import type { ConsoleEnvironment } from '../ports.ts';
import { clearCookie, cookieNames, setCookie } from './cookies.ts';
import { beginFlow, flowCookie, forgetFlow, readFlow } from './openid/flow.ts';
import { noOperatorFor } from './no-operator.ts';
import type { OpenIdProvider } from './openid/provider.ts';
import { returnPath } from './return-path.ts';
import { SignInFault } from './sign-in-fault.ts';
import type { Proof, Sessions } from './sessions.ts';
import { RETURN_FIELD, signInPage, TOKEN_FIELD } from './sign-in-page.ts';

/** What signing in works with. */
export interface SignInPorts {
  readonly resources: Pick<ResourceStore, 'find' | 'list'>;
  readonly sessions: Sessions;
  /** Null: people sign in with tokens only. */
  readonly provider: OpenIdProvider | null;
  readonly clock: Clock;
  readonly observer: SignInObserver;
}

/** Notified of sign-ins, for the log. Nothing of a token, a code or a session reaches it. */
export interface SignInObserver {
  signedIn(operatorId: string, by: 'token' | 'openid', source: string): void;
  /** The reason is for operators: visitors get less. */
  refused(reason: string, by: 'token' | 'openid', source: string): void;
  signedOut(operatorId: string): void;
}

type SignInContext = Context<ConsoleEnvironment>;

/** What signing in takes of the console. */
export interface SignInFrame {
  readonly send: (context: SignInContext, shown: Shown) => Promise<Response>;
  /** Counts wrong tokens here; requests are counted before. */
  readonly throttle: Throttle;
}

/** Adds the routes at which operators sign in and out: those without a session reach them. */
export function addSignIn(app: Hono<ConsoleEnvironment>, ports: SignInPorts, { send, throttle }: SignInFrame): void {
  const { resources, sessions, provider, clock, observer } = ports;
  const show = async (
    context: SignInContext,
    returnTo: string,
    fault: string | null,
    status = 200,
  ): Promise<Response> =>
    await send(context, signInPage({ returnTo, fault, status, provider: provider?.name ?? null }));
  /** Always under a new id: one that was planted in the browser before is worth nothing. */
  const signIn = async (context: SignInContext, operatorId: string, proof: Proof, to: string): Promise<Response> => {
    await sessions.end(context.req.raw);
    const id = await sessions.begin(operatorId, proof);
    context.header('set-cookie', setCookie(cookieNames.session, id), { append: true });
    return context.redirect(to, 303);
  };

  app.get('/sign-in', async (context) => {
    const returnTo = returnPath(context.req.query(RETURN_FIELD));
    if ((await sessions.find(context.req.raw)) !== null) return context.redirect(returnTo, 303);
    return await show(context, returnTo, null);
  });

  app.post('/sign-in', async (context) => {
    const { source, address } = context.env;
    requireOwnPage(context.req.raw);
    const form = await readForm(context.req.raw);
    const returnTo = returnPath(form.text(RETURN_FIELD));
    try {
      const authentication = { resources, throttle, nowSeconds: () => clock.nowSeconds() };
      const { operator, token } = await authenticateToken(form.text(TOKEN_FIELD), source, authentication);
      const answer = await signIn(context, operator.id, { token }, returnTo);
      observer.signedIn(operator.id, 'token', address);
      return answer;
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== 'UNAUTHENTICATED') throw error;
      observer.refused(error.message, 'token', address);
      return await show(context, returnTo, WRONG_TOKEN, 401);
    }
  });

  app.post('/sign-out', async (context) => {
    const session = await sessions.find(context.req.raw);
    if (session !== null) {
      const form = await readForm(context.req.raw);
      const forgery = findForgery(context.req.raw, form.text(FORM_TOKEN_FIELD), session.csrfToken);
      if (forgery !== null) throw new ApiProblem('FORBIDDEN', forgery);
      await sessions.end(context.req.raw);
      observer.signedOut(session.operator.id);
    }
    context.header('set-cookie', clearCookie(cookieNames.session));
    return context.redirect('/sign-in', 303);
  });

  if (provider === null) return;

  app.get('/sign-in/openid', async (context) => {
    const { address } = context.env;
    const flow = beginFlow(returnPath(context.req.query(RETURN_FIELD)));
    try {
      const place = await provider.authorizationUrl(flow);
      context.header('set-cookie', flowCookie(flow), { append: true });
      return context.redirect(place.href, 303);
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error;
      observer.refused(error.message, 'openid', address);
      return await show(context, flow.returnTo, PROVIDER_DOWN, 503);
    }
  });

  app.get('/sign-in/callback', async (context) => {
    const { address } = context.env;
    context.header('set-cookie', forgetFlow(), { append: true });
    const flow = readFlow(context.req.raw);
    if (flow === null) {
      observer.refused('this browser began no sign-in', 'openid', address);
      return await show(context, '/', NOT_BEGUN, 400);
    }
    try {
      const subject = await provider.subjectOf(new URL(context.req.url).search, flow);
      const operator = await findOperator({ subject }, resources);
      if (operator === null) throw new SignInFault('refused', noOperatorFor(subject));
      const answer = await signIn(context, operator.id, { subject }, flow.returnTo);
      observer.signedIn(operator.id, 'openid', address);
      return answer;
    } catch (error) {
      if (!(error instanceof SignInFault)) throw error;
      observer.refused(error.message, 'openid', address);
      if (error.kind === 'provider') return await show(context, flow.returnTo, PROVIDER_DOWN, 503);
      return await show(context, flow.returnTo, `Sign-in failed: ${error.message}.`, 401);
    }
  });
}

const WRONG_TOKEN = 'The token is not that of an operator, has ended, or was revoked.';
const PROVIDER_DOWN =
  'The OpenID Connect provider does not answer as it should. Try again later, or sign in with a token.';
const NOT_BEGUN = 'This browser began no sign-in, or it took longer than ten minutes. Begin again.';

/** Signing somebody in from another site would let that site see what they do here under its name (log-in CSRF). */
function requireOwnPage(request: Request): void {
  if (originOf(request) !== 'own') throw new ApiProblem('FORBIDDEN', 'the form was sent from another site');
}
