import { startSystemTimer } from '../base/clock.ts';
import { registerRefusalMetrics } from './observe/refusal-metrics.ts';
import { createWriteObserver } from './observe/write-observer.ts';
import { RefusalMemory } from '../check/refusals/refusal-memory.ts';
import { type RecordRefusal, RefusalRecorder } from '../check/refusals/refusal-recorder.ts';
import { type RefusalSink, RefusalWriter } from '../check/refusals/refusal-writer.ts';
import type { OwnedParts, PartPorts } from './parts.ts';

/** Where a gateway keeps what it refuses to known callers. */
export interface GatewayRefusals {
  readonly record: RecordRefusal;
  /** What this process remembers itself; null where a database does. */
  readonly memory: RefusalMemory | null;
}

/** Opens what keeps refusals: a database, or the memory of this process. Null where the settings turn it off. */
export function openGatewayRefusals(
  { config, clock, logger, metrics }: PartPorts,
  sink: RefusalSink | null,
  parts: OwnedParts,
): GatewayRefusals | null {
  if (!config.refusals) return null;
  const memory = sink === null ? new RefusalMemory() : null;
  const writer =
    sink === null
      ? null
      : parts.own(
          new RefusalWriter({
            sink,
            startTimer: startSystemTimer,
            observer: createWriteObserver(logger, 'refusals'),
            onDropped: (entry) => {
              recorder.dropped(entry);
            },
          }),
        );
  const recorder: RefusalRecorder = parts.own(
    new RefusalRecorder({
      clock,
      startTimer: startSystemTimer,
      keepsSource: config.refusalsSourceAddress,
      keep: (entry) => {
        memory?.add(entry);
        writer?.add(entry);
      },
    }),
  );
  registerRefusalMetrics(metrics.registry, {
    written: () => memory?.written ?? writer?.written ?? 0,
    waiting: () => writer?.waiting ?? 0,
    leftOut: () => recorder.leftOut,
  });
  return { record: recorder.record, memory };
}
