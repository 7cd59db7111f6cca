import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { CheckPorts } from '../../../check/check.ts';
import type { Clock } from '../../../base/clock.ts';
import { isPromise, type Pending } from '../../../base/pending.ts';
import type { HttpRequest } from '../../../check/receive/http-request.ts';
import { refusalAnswers } from '../../../check/refusal.ts';
import { type Answer, type Decision, isGranted } from '../../../check/respond/respond.ts';
import type { CheckTrace, StartCheckTrace } from '../../serving/check-handler.ts';

/** What making the spans of checks takes. */
export interface SpanTracerPorts {
  readonly tracer: Tracer;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  /** Called when making spans failed, which is a defect; the check went on without. */
  readonly onDefect: (error: unknown) => void;
}

/** As gRPC servers name theirs (OpenTelemetry semantic conventions, RPC spans). */
const CHECK_SPAN = 'envoy.service.auth.v3.Authorization/Check';
const checkAttributes: Attributes = {
  'rpc.system': 'grpc',
  'rpc.service': 'envoy.service.auth.v3.Authorization',
  'rpc.method': 'Check',
};
/** A refusal is an answer; these are the ones where the gateway itself is in trouble (RFC 9110 §15.6). */
const LEAST_FAULT_STATUS = 500;
const LONGEST_TRACE_PARENT = 128;

/**
 * Makes one SERVER span for each check that is sampled. Its parent is the span that Envoy made for its call, or else
 * the one that the caller's request names, so that both ends stand in one trace. No attribute holds what a caller
 * chose.
 */
export function createCheckTracer(ports: SpanTracerPorts): StartCheckTrace {
  const { tracer, onDefect } = ports;
  return (request, traceParent) => {
    try {
      const span = tracer.startSpan(
        CHECK_SPAN,
        { kind: SpanKind.SERVER, attributes: checkAttributes },
        parentOf(request, traceParent),
      );
      return span.isRecording() ? new SpanTrace(span, ports) : null;
    } catch (error) {
      onDefect(error);
      return null;
    }
  };
}

class SpanTrace implements CheckTrace {
  readonly #span: Span;
  readonly #context: Context;
  readonly #ports: SpanTracerPorts;

  constructor(span: Span, ports: SpanTracerPorts) {
    this.#span = span;
    this.#context = trace.setSpan(ROOT_CONTEXT, span);
    this.#ports = ports;
  }

  watch(ports: CheckPorts): CheckPorts {
    const { limiter, replayGuard } = ports;
    return {
      ...ports,
      store: {
        current: () => {
          const { credentials, ...others } = ports.store.current();
          const findByAppKey = (appKey: string, appKeyHash?: string): ReturnType<typeof credentials.findByAppKey> =>
            this.#timed('find credential', () => credentials.findByAppKey(appKey, appKeyHash));
          return { ...others, credentials: { findByAppKey, canKnow: () => credentials.canKnow() } };
        },
      },
      limiter: {
        take: (question, deadlineAtMs) => this.#timed('take from limits', () => limiter.take(question, deadlineAtMs)),
        ...(limiter.startDeadline === undefined ? {} : { startDeadline: () => limiter.startDeadline?.() ?? Infinity }),
      },
      replayGuard: {
        reserve: (used, windowSeconds) =>
          this.#timed('remember signature', () => replayGuard.reserve(used, windowSeconds)),
      },
    };
  }

  decided(decision: Decision, { code, isAllowed }: Answer): void {
    const routed = isGranted(decision) ? decision.permit.authenticated.routed : decision.routed;
    const authenticated = isGranted(decision) ? decision.permit.authenticated : decision.authenticated;
    this.#end(code, {
      'postern.endpoint': routed?.endpoint.id,
      'postern.authentication': routed?.endpoint.authentication ?? undefined,
      'postern.consumer': authenticated?.caller?.consumer.id,
      'postern.allowed': isAllowed,
    });
  }

  failed(): void {
    this.#end('INTERNAL', { 'postern.allowed': false });
  }

  #end(code: Answer['code'], attributes: Attributes): void {
    try {
      this.#span.setAttributes({ ...attributes, 'postern.code': code });
      if (code !== 'ALLOWED' && refusalAnswers[code].status >= LEAST_FAULT_STATUS) {
        this.#span.setStatus({ code: SpanStatusCode.ERROR, message: code });
      }
      this.#span.end();
    } catch (error) {
      this.#ports.onDefect(error);
    }
  }

  /** Does the work; when it has to be waited for, a child span says how long that took and whether it failed. */
  #timed<T>(name: string, work: () => Pending<T>): Pending<T> {
    const startTime = this.#ports.clock.elapsedMs();
    const result = work();
    if (!isPromise(result)) return result;
    const end = this.#startChild(name, startTime);
    return result.then(
      (value) => {
        end(null);
        return value;
      },
      (fault: unknown) => {
        end(fault);
        throw fault;
      },
    );
  }

  #startChild(name: string, startTime: number): (fault: unknown) => void {
    const { tracer, clock, onDefect } = this.#ports;
    try {
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime }, this.#context);
      return (fault) => {
        try {
          // The name only: the text of a fault may hold an address.
          const message = fault instanceof Error ? fault.name : 'unknown';
          if (fault !== null) span.setStatus({ code: SpanStatusCode.ERROR, message });
          span.end(clock.elapsedMs());
        } catch (error) {
          onDefect(error);
        }
      };
    } catch (error) {
      onDefect(error);
      return () => undefined;
    }
  }
}

function parentOf(request: HttpRequest, traceParent: string | null): Context {
  const text = traceParent ?? request.headers.find('traceparent');
  if (text === null || text.length > LONGEST_TRACE_PARENT) return ROOT_CONTEXT;
  const parent = parseTraceParent(text);
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}
