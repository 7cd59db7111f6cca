import type { Clock } from '../../clock.ts';
import type { Methods, TransportObserver } from '../transport.ts';
import type { Classify, Field } from './hpack/field.ts';
import { createStaticTable } from './hpack/static-table.ts';
import type { Http2Limits } from './limits.ts';
import { LargeBuffers } from './large-buffers.ts';
import { MemoryPool } from './memory-pool.ts';
import { MemoryReleaser } from './memory-releaser.ts';
import { classifyRequestField, classifyTracedField } from './request-field.ts';

/** What all connections of a server share. */
export interface ServerContext {
  readonly methods: Methods;
  readonly observer: TransportObserver;
  readonly clock: Clock;
  readonly limits: Http2Limits;
  readonly classify: Classify;
  readonly staticTable: readonly Field[];
  readonly smallPool: MemoryPool;
  readonly largePool: MemoryPool;
  readonly answerPool: MemoryPool;
  readonly largeBuffers: LargeBuffers;
  readonly releaser: MemoryReleaser;
}

export function createServerContext(options: {
  readonly methods: Methods;
  readonly observer: TransportObserver;
  readonly clock: Clock;
  readonly limits: Http2Limits;
  readonly readsTraceParent?: boolean;
}): ServerContext {
  const { limits, readsTraceParent = false } = options;
  const classify = readsTraceParent ? classifyTracedField : classifyRequestField;
  const releaser = new MemoryReleaser();
  return {
    ...options,
    classify,
    staticTable: createStaticTable(classify),
    smallPool: new MemoryPool(limits.smallPool),
    largePool: new MemoryPool(limits.largePool),
    answerPool: new MemoryPool(limits.answerPool),
    largeBuffers: new LargeBuffers(limits.maxIdleLargeBytes, releaser),
    releaser,
  };
}
