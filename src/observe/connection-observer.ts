import { type ConnectionObserver, connectionEnds } from '../server/connection-table.ts';
import type { ConnectionMetrics, ListenerName } from './connection-metrics.ts';
import type { LineBudget } from './line-budget.ts';
import type { Logger } from './logger.ts';

/** What the observer of connections reports to. */
export interface ConnectionObserverPorts {
  readonly logger: Logger;
  readonly budget: Pick<LineBudget, 'take'>;
  readonly metrics: ConnectionMetrics;
}

/** Counts and logs the connections that a listener ends by its own rule. Who was idle for long is no news. */
export function createConnectionObserver(ports: ConnectionObserverPorts, listener: ListenerName): ConnectionObserver {
  const { logger, budget, metrics } = ports;
  return {
    connectionEnded: (end, peer) => {
      metrics.countEnd(listener, end);
      const fields = { listener, reason: connectionEnds[end], peer };
      if (end === 'idle') logger.debug('a connection was ended or refused', fields);
      else if (budget.take(`connection ${end}`)) logger.warn('a connection was ended or refused', fields);
    },
  };
}
