import { type Clock, type StartTimer, startSystemTimer } from '../../../base/clock.ts';
import type { ConnectionObserver } from '../connection-table.ts';
import type { Methods, TransportObserver } from '../transport.ts';
import type { Classify, Field } from '../../http2/hpack/field.ts';
import { createStaticTable } from '../../http2/hpack/tables.ts';
import type { Http2Limits } from './limits.ts';
import { LargeBuffers } from './large-buffers.ts';
import { MemoryPool } from './memory-pool.ts';
import { OpenCalls } from './open-calls.ts';
import { classifyRequestField, classifyTracedField } from './request-field.ts';
import { StalledFirstPool } from './stalled-first-pool.ts';
import { Turns } from './turns.ts';
import { UnsentBytes } from './unsent-bytes.ts';

/** What all connections of a server share. */
export interface ServerContext {
  readonly methods: Methods;
  readonly observer: TransportObserver;
  readonly connectionObserver?: ConnectionObserver;
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  readonly limits: Http2Limits;
  readonly classify: Classify;
  readonly staticTable: readonly Field[];
  readonly openCalls: OpenCalls;
  readonly turns: Turns;
  readonly partPool: StalledFirstPool;
  readonly runningPool: MemoryPool;
  readonly turnPool: MemoryPool;
  readonly answerPool: StalledFirstPool;
  /** Answers given to sockets. */
  readonly unsent: UnsentBytes;
  /** Memory for what has arrived of large messages. */
  readonly largeMemory: { heldBytes: number };
  readonly largeBuffers: LargeBuffers;
}

/** Makes what the connections of one server share. A `traceparent` is read only when `readsTraceParent` is on. */
export function createServerContext(options: {
  readonly methods: Methods;
  readonly observer: TransportObserver;
  readonly connectionObserver?: ConnectionObserver;
  readonly clock: Clock;
  readonly startTimer?: StartTimer;
  readonly limits: Http2Limits;
  readonly readsTraceParent?: boolean;
}): ServerContext {
  const { limits, startTimer = startSystemTimer, readsTraceParent = false } = options;
  const classify = readsTraceParent ? classifyTracedField : classifyRequestField;
  return {
    ...options,
    startTimer,
    classify,
    staticTable: createStaticTable(classify),
    openCalls: new OpenCalls(limits),
    turns: new Turns(limits),
    partPool: new StalledFirstPool(limits.partPool),
    runningPool: new MemoryPool(limits.runningPool),
    turnPool: new MemoryPool(limits.turnPool),
    answerPool: new StalledFirstPool(limits.answerPool),
    unsent: new UnsentBytes(limits, options.clock),
    largeMemory: { heldBytes: 0 },
    largeBuffers: new LargeBuffers(limits.maxIdleLargeBytes),
  };
}
