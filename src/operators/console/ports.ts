import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { ApiEnvironment, ApiObserver, Peer } from '../api/ports.ts';
import type { Clock } from '../../base/clock.ts';
import type { Operator } from '../../model/operator.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { SignInPorts } from './sign-in/sign-in.ts';

/** Somebody who is signed in. */
export interface ConsoleSession {
  /** As the store has it now: a disabled or removed operator has no session. */
  readonly operator: Operator;
  /** Bound to this session; only its own pages have it. */
  readonly csrfToken: string;
}

/** What the console works with. */
export interface ConsolePorts {
  readonly api: Pick<OpenAPIHono<ApiEnvironment>, 'fetch'>;
  /** Who sends a request; null for nobody. Rejects with `StoreUnavailable`. */
  readonly findSession: (request: Request, bindings: HttpBindings) => Promise<ConsoleSession | null>;
  /** How operators sign in; without it nobody can. */
  readonly signIn?: SignInPorts;
  /** What operators change of several at once. Not owned. */
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly observer: ApiObserver;
}

/** Hono's environment: what handlers find in their context. */
export interface ConsoleEnvironment {
  readonly Variables: {
    requestId: string;
    /** Null for a request that nobody signed in sends. */
    session: ConsoleSession | null;
  };
  readonly Bindings: HttpBindings & Peer;
}
