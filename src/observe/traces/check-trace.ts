import type { CheckPorts } from '../../check.ts';
import type { HttpRequest } from '../../receive/http-request.ts';
import type { Decision } from '../../respond/decision.ts';
import type { Answer } from '../../respond/respond.ts';

/** One check that is traced. Nothing here throws: a fault of tracing is nobody's answer. */
export interface CheckTrace {
  /** The same ports; what must be waited for (a look-up in the database, a question about limits) becomes a child span. */
  watch(ports: CheckPorts): CheckPorts;
  /** The check was decided and answered. */
  decided(decision: Decision, answer: Answer): void;
  /** The check met a defect; the caller got 500. */
  failed(): void;
}

/**
 * Begins the trace of a check; null when this one is not sampled. `traceParent` is that of the gRPC call, if it came
 * with one (W3C Trace Context §3.2).
 */
export type StartCheckTrace = (request: HttpRequest, traceParent: string | null) => CheckTrace | null;
