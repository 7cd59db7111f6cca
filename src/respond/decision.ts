import type { Authenticated } from '../methods/authenticated.ts';
import type { Granted } from '../limit/limit.ts';
import type { Refusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';

/** A request that was stopped, with how far it came. */
export interface Stopped {
  readonly refusal: Refusal;
  readonly routed: Routed | null;
  readonly authenticated: Authenticated | null;
}

/** What the pipeline found: every stage let the request through, or one stopped it. */
export type Decision = Granted | Stopped;

/** Makes the decision of a request that a stage refused. */
export function stop(refusal: Refusal, routed: Routed | null, authenticated: Authenticated | null): Stopped {
  return { refusal, routed, authenticated };
}

/** Tells whether every stage let the request through. */
export function isGranted(decision: Decision): decision is Granted {
  return 'permit' in decision;
}
