// Servers that tests need, installed beside tests that need none of them.
import { InstallFailure, installServices } from '../../services/install-services.mjs';
import { progressPrinter } from '../../services/progress.mjs';

/**
 * Begins to install services one after the other. `stateOf(service)` is `coming`, `there` or `missing`; `changed()`
 * is a promise of the next change of a state; `onMissing(service, message)` is told what cannot be had.
 */
export function beginInstallation(services, { onMissing }) {
  const states = new Map(services.map((service) => [service, 'coming']));
  let announce;
  let next = new Promise((resolve) => (announce = resolve));
  const print = progressPrinter(process.stdout);
  const install = async (service) => {
    try {
      await installServices([service], {
        onProgress: (event) => {
          if (event.origin !== 'present') print(event);
        },
      });
      return 'there';
    } catch (error) {
      if (!(error instanceof InstallFailure)) throw error;
      onMissing(service, error.message);
      return 'missing';
    }
  };
  const finished = (async () => {
    for (const service of services) {
      states.set(service, await install(service));
      announce();
      next = new Promise((resolve) => (announce = resolve));
    }
  })();
  return {
    stateOf: (service) => states.get(service) ?? 'missing',
    changed: () => next,
    finished,
    missing: () => services.filter((service) => states.get(service) === 'missing'),
  };
}
