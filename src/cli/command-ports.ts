import { type Clock, systemClock } from '../clock.ts';
import type { OpenStore } from './store/open-store.ts';

/** What commands reach the world through besides the terminal. Tests give their own. */
export interface CommandPorts {
  readonly openStore: OpenStore;
  readonly clock: Clock;
}

/** The real ones. The store's part is loaded when a command opens it. */
export function systemPorts(): CommandPorts {
  return {
    clock: systemClock,
    openStore: async (wish) => await (await import('./store/open-store.ts')).openStore(wish, systemClock),
  };
}
