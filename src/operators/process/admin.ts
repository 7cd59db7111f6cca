import { collectDefaultMetrics, Registry } from 'prom-client';
import { startSystemTimer } from '../../base/clock.ts';
import { listen } from '../../gateway/listeners.ts';
import type { OwnedParts, ProcessPorts } from '../../gateway/parts.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import { formatListenAddress, type ListenAddress } from '../../base/net/listen-address.ts';
import type { Logger } from '../../gateway/observe/logger.ts';
import { ManageMetrics } from './manage-metrics.ts';
import { registerMetrics } from '../../gateway/observe/metric-table.ts';
import { TlsMetrics } from '../../gateway/observe/tls-observer.ts';
import { AdminServer } from '../../gateway/serving/admin-server.ts';
import { readVersion } from '../../base/version.ts';
import { StoreProbe } from './store-probe.ts';

/** What `postern manage` shows of itself. */
export interface ManagementAdmin {
  /** Null when the store answers, as it was seen last; else why no request can be done. */
  readonly findUnreadiness: () => string | null;
  readonly metrics: ManageMetrics;
  readonly tls: TlsMetrics;
  /** Opens the admin listener where the settings have one, and gives where it listens; null for none. */
  open(): Promise<ListenAddress | null>;
  /** Says from now on that the process is not ready, because it ends. */
  leave(): void;
}

/** What this needs of the process. */
export interface AdminPorts extends Pick<ProcessPorts, 'config' | 'clock' | 'logger'> {
  readonly resources: Pick<ResourceStore, 'find'>;
  /** Open connections of the management listener. */
  readonly countConnections: () => number;
}

/** The metrics of the process and its admin listener, whose parts are given to `parts`. */
export function createAdmin(ports: AdminPorts, parts: OwnedParts): ManagementAdmin {
  const { config, clock, logger, resources, countConnections } = ports;
  const registry = new Registry();
  const address = config.manageAdminAddress;
  const probe = parts.own(new StoreProbe({ resources, startTimer: startSystemTimer, onChange: reportStore(logger) }));
  if (address !== null) collectDefaultMetrics({ register: registry });
  const version = readVersion();
  registerMetrics(registry, {
    postern_build_info: ['Always 1; the label shows which version runs.', () => ({ [version]: 1 }), 'version'],
  });
  let isLeaving = false;
  const status = () => ({ isStoreUp: probe.isUp, connections: countConnections() });
  return {
    findUnreadiness: () => probe.findUnreadiness(),
    metrics: new ManageMetrics(registry, status),
    tls: new TlsMetrics(registry),
    open: async () => {
      if (address === null) return null;
      const server = parts.own(
        new AdminServer({
          clock,
          findUnreadiness: () => (isLeaving ? 'stopping' : probe.findUnreadiness()),
          findNotice: () => null,
          collectMetrics: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
        }),
      );
      await listen('POSTERN_MANAGE_ADMIN_ADDRESS', address, async () => {
        await server.start(address, config.unixSocketMode);
      });
      const opened = server.address();
      logger.info('probes and metrics are served', { admin: formatListenAddress(opened) });
      return opened;
    },
    leave: () => {
      isLeaving = true;
    },
  };
}

function reportStore(logger: Logger): (fault: Error | null) => void {
  return (fault) => {
    if (fault === null) logger.info('MongoDB answers again');
    else logger.warn('MongoDB cannot be used; requests get 503', { reason: fault.message });
  };
}
