import { acquireAll } from '../lifetime/release.ts';
import { useStarted } from '../lifetime/use-started.ts';
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import { makeEndpoints, makePartner, type Partner } from './partners.ts';

/** A fleet with the endpoints of {@link makeEndpoints}, and its one partner. */
export interface PartnerFleet extends Fleet {
  readonly partner: Partner;
}

/** Runs a fleet with a partner around the tests of the calling `describe`. */
export function usePartnerFleet(options: Omit<FleetOptions, 'prepare'> = {}): PartnerFleet {
  return useStarted(
    async () =>
      await acquireAll(async (keep) => {
        const fleet = keep(await startFleet({ ...options, prepare: makeEndpoints }));
        return { ...fleet, partner: await makePartner(fleet) };
      }),
  );
}
