import { check, type CheckPorts } from '../check.ts';
import type { CheckObserver } from '../observe/check-observer.ts';
import { isPromise, type Pending } from '../pending.ts';
import { HttpRequest } from '../receive/http-request.ts';
import { isRefusal, refuse } from '../refusal.ts';
import { receive } from '../receive/receive.ts';
import { type Decision, isGranted } from '../respond/decision.ts';
import { reject } from '../respond/refuse.ts';
import { requestIdOf } from '../respond/request-id.ts';
import { respond } from '../respond/respond.ts';
import { route, type Routed } from '../route/route.ts';
import { StoreUnavailable } from '../store/credential-source.ts';

/** What the handler needs: the stages' ports, an observer, and a monotonic clock in milliseconds. */
export interface CheckHandlerPorts extends CheckPorts {
  readonly observer: CheckObserver;
  readonly elapsedMs: () => number;
}

/** From the bytes of a `CheckRequest` to those of its `CheckResponse`. */
export type CheckHandler = (message: Uint8Array) => Pending<Uint8Array>;

/**
 * Makes the one function between the transport and the pipeline. It neither throws nor rejects: a fault of the store
 * becomes a 503, a defect of ours a 500, and bytes that are no CheckRequest a 400 — each a refusal that Envoy hands on,
 * never a bare gRPC error.
 */
export function createCheckHandler(ports: CheckHandlerPorts): CheckHandler {
  function answer(request: HttpRequest, decision: Decision, startMs: number): Uint8Array {
    const requestId = isGranted(decision) ? null : requestIdOf(request);
    const answered = respond(decision, request, requestId ?? '');
    const seconds = (ports.elapsedMs() - startMs) / 1000;
    ports.observer.decided({ request, decision, answer: answered, requestId, seconds });
    return answered.bytes;
  }

  function answerFault(request: HttpRequest, fault: unknown, startMs: number): Uint8Array {
    if (fault instanceof StoreUnavailable) {
      const refusal = refuse('STORE_UNAVAILABLE', fault.message);
      return answer(request, { refusal, routed: findRoute(request, ports), authenticated: null }, startMs);
    }
    const requestId = requestIdOf(request);
    ports.observer.defect(fault, requestId);
    const refusal = refuse('INTERNAL', 'a defect of this program');
    return reject({ refusal, requestId, endpoint: null, caller: null });
  }

  return (message) => {
    const startMs = ports.elapsedMs();
    const request = HttpRequest.parse(message);
    if (request === null) return rejectUnreadable(ports.observer);
    try {
      const decision = check(request, ports);
      if (!isPromise(decision)) return answer(request, decision, startMs);
      return decision
        .then((decided) => answer(request, decided, startMs))
        .catch((fault: unknown) => answerFault(request, fault, startMs));
    } catch (fault) {
      return answerFault(request, fault, startMs);
    }
  };
}

/** The endpoint is found once more, so that log and metrics of a fault name it; null when the store has no state at all. */
function findRoute(request: HttpRequest, ports: CheckPorts): Routed | null {
  const received = receive(request);
  if (isRefusal(received)) return null;
  try {
    const routed = route(received, ports.snapshot());
    return isRefusal(routed) ? null : routed;
  } catch (fault) {
    if (fault instanceof StoreUnavailable) return null;
    throw fault;
  }
}

function rejectUnreadable(observer: CheckObserver): Uint8Array {
  const requestId = requestIdOf(null);
  observer.unreadable(requestId);
  const refusal = refuse('MALFORMED_REQUEST', 'the message is no CheckRequest');
  return reject({ refusal, requestId, endpoint: null, caller: null });
}
