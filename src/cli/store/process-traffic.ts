import type { Environment } from '../../base/environment.ts';
import type { TrafficCount, TrafficSource } from '../../model/traffic-count.ts';
import { askAdminListener } from './admin-listener.ts';

/** The counts of the process that serves a declarative file: nothing else keeps them. Rejects as its listener does. */
export function createProcessTraffic(environment: Environment): TrafficSource {
  return {
    async *counts({ sinceHour, endpointId, consumers }) {
      const query = new URLSearchParams({ since: String(sinceHour) });
      if (endpointId !== undefined) query.set('endpoint', endpointId);
      if (consumers !== null) query.set('consumers', 'each');
      const wanted = Array.isArray(consumers) ? new Set<string | null>(consumers) : null;
      for await (const value of askAdminListener(environment, `/usage?${query.toString()}`)) {
        const count = value as TrafficCount;
        if (wanted === null || wanted.has(count.consumerId)) yield count;
      }
    },
  };
}
