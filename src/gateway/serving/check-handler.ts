import { check, type CheckPorts } from '../../check/check.ts';
import { isPromise, type Pending } from '../../base/pending.ts';
import { HttpRequest } from '../../check/receive/http-request.ts';
import { isRefusal, refuse } from '../../check/refusal.ts';
import { receive } from '../../check/receive/receive.ts';
import { requestIdOf } from '../../check/receive/request-id.ts';
import { type Answer, type Decision, isGranted, reject, respond } from '../../check/respond/respond.ts';
import { route, type Routed } from '../../check/route/route.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import type { Call } from '../../wire/server/transport.ts';

/** Notified of every decided check. */
export interface CheckObserver {
  /** `requestId` is null for granted requests, where only a debug line needs it. */
  decided(decided: DecidedCheck): void;
  /** The message was no CheckRequest; the caller got 400. */
  unreadable(requestId: string): void;
  /** The program itself was wrong; the caller got 500. */
  defect(error: unknown, requestId: string, request: HttpRequest): void;
}

/** A check, its decision and its answer. */
export interface DecidedCheck {
  readonly request: HttpRequest;
  readonly decision: Decision;
  readonly answer: Answer;
  readonly requestId: string | null;
  readonly seconds: number;
}

/** One check that is traced. Nothing here throws: a fault of tracing changes no answer. */
export interface CheckTrace {
  /**
   * The same ports; what must be waited for (a look-up in the database, a question about limits) becomes a child span.
   */
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

/** What the handler needs: the stages' ports, and an observer. */
export interface CheckHandlerPorts extends CheckPorts {
  readonly observer: CheckObserver;
  /** Null where no traces are asked for. */
  readonly startTrace?: StartCheckTrace | null;
}

/** From the bytes of a `CheckRequest` to those of its `CheckResponse`. */
export type CheckHandler = (
  message: Uint8Array,
  call?: Pick<Call, 'traceParent' | 'takeMemory'>,
) => Pending<Uint8Array>;

/** A check while it is decided. */
interface RunningCheck {
  readonly request: HttpRequest;
  readonly startMs: number;
  readonly trace: CheckTrace | null;
}

/**
 * Makes the one function between the transport and the pipeline. It neither throws nor rejects: a fault of the store
 * becomes a 503, a defect of ours a 500, and bytes that are no CheckRequest a 400 — each a refusal that Envoy hands on,
 * never a bare gRPC error.
 */
export function createCheckHandler(ports: CheckHandlerPorts): CheckHandler {
  const startTrace = ports.startTrace ?? null;

  function answer({ request, startMs, trace }: RunningCheck, decision: Decision): Uint8Array {
    const requestId = isGranted(decision) ? null : requestIdOf(request);
    const answered = respond(decision, requestId ?? '');
    const seconds = (ports.clock.elapsedMs() - startMs) / 1000;
    ports.observer.decided({ request, decision, answer: answered, requestId, seconds });
    trace?.decided(decision, answered);
    return answered.bytes;
  }

  function answerFault(running: RunningCheck, fault: unknown): Uint8Array {
    const { request, trace } = running;
    if (fault instanceof StoreUnavailable) {
      const refusal = refuse('STORE_UNAVAILABLE', fault.message);
      return answer(running, { refusal, routed: findRoute(request, ports), authenticated: null });
    }
    const requestId = requestIdOf(request);
    ports.observer.defect(fault, requestId, request);
    trace?.failed();
    return reject(refuse('INTERNAL', 'a defect of this program'), requestId);
  }

  return (message, call) => {
    const startMs = ports.clock.elapsedMs();
    const request = HttpRequest.parse(message, call);
    if (request === null) return rejectUnreadable(ports.observer);
    const trace = startTrace === null ? null : startTrace(request, call?.traceParent ?? null);
    const running = { request, startMs, trace };
    const onDecision = (decision: Decision): Uint8Array => {
      try {
        return answer(running, decision);
      } catch (fault) {
        return answerFault(running, fault);
      }
    };
    try {
      const decision = check(request, trace === null ? ports : trace.watch(ports));
      if (!isPromise(decision)) return onDecision(decision);
      return decision.then(onDecision, (fault: unknown) => answerFault(running, fault));
    } catch (fault) {
      return answerFault(running, fault);
    }
  };
}

/**
 * The endpoint is found once more, so that log and metrics of a fault name it; null when the store has no state at all.
 */
function findRoute(request: HttpRequest, ports: CheckPorts): Routed | null {
  const received = receive(request);
  if (isRefusal(received)) return null;
  try {
    const routed = route(received, ports.store.current());
    return isRefusal(routed) ? null : routed;
  } catch (fault) {
    if (fault instanceof StoreUnavailable) return null;
    throw fault;
  }
}

function rejectUnreadable(observer: CheckObserver): Uint8Array {
  const requestId = requestIdOf(null);
  observer.unreadable(requestId);
  return reject(refuse('MALFORMED_REQUEST', 'the message is no CheckRequest'), requestId);
}
