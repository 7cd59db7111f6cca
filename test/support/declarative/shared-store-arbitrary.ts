import fc from 'fast-check';
import { documentArbitrary } from './document-arbitrary.ts';

interface Item {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** A document of {@link documentArbitrary} in which this test looks at ids and labels. */
interface TeamDocument {
  readonly version: 1;
  readonly endpoints: readonly Item[];
  readonly consumers: readonly Item[];
  readonly grants: readonly { readonly endpoint: string; readonly consumer?: string }[];
}

/** What two teams and nobody in particular have in one store, and what the team `a` wants of its part. */
export interface SharedStore {
  readonly whole: TeamDocument;
  /** Mostly it stays within the part; now and then it reaches beyond it. */
  readonly wanted: TeamDocument;
}

/** The label by which resources belong to a team. */
export const TEAM_A = { team: 'a' };

const teams = fc.array(fc.constantFrom('a', 'a', 'b', null), { minLength: 6, maxLength: 6 });

function assign(items: readonly Item[], owners: readonly (string | null)[]): readonly Item[] {
  return items.map((item, index) => {
    const team = owners[index] ?? null;
    return team === null ? item : { ...item, labels: { ...item.labels, team } };
  });
}

/** Pairs of a store that several teams share and of a document of one of them. */
export const sharedStoreArbitrary: fc.Arbitrary<SharedStore> = fc
  .record({
    former: documentArbitrary as fc.Arbitrary<unknown> as fc.Arbitrary<TeamDocument>,
    next: documentArbitrary as fc.Arbitrary<unknown> as fc.Arbitrary<TeamDocument>,
    owners: teams,
    reachesBeyond: fc.constantFrom(false, false, false, true),
  })
  .map(({ former, next, owners, reachesBeyond }) => {
    const endpoints = assign(former.endpoints, owners.slice(0, 3));
    const consumers = assign(former.consumers, owners.slice(3));
    const whole = { ...former, endpoints, consumers };
    const ofOthers = new Set(
      [...endpoints, ...consumers].filter(({ labels }) => labels['team'] !== 'a').map(({ id }) => id),
    );
    const mine = (items: readonly Item[]): readonly Item[] =>
      items
        .filter(({ id }) => reachesBeyond || !ofOthers.has(id))
        .map((item) => ({ ...item, labels: { ...item.labels, ...TEAM_A } }));
    const wantedEndpoints = mine(next.endpoints);
    const wantedConsumers = mine(next.consumers);
    // A grant of the part may lead to any consumer that stays, whosever it is.
    const staying = new Set([
      ...wantedConsumers.map(({ id }) => id),
      ...consumers.filter(({ id }) => ofOthers.has(id)).map(({ id }) => id),
    ]);
    const grants = next.grants.filter(
      ({ endpoint, consumer }) =>
        wantedEndpoints.some(({ id }) => id === endpoint) && (consumer === undefined || staying.has(consumer)),
    );
    return { whole, wanted: { ...next, endpoints: wantedEndpoints, consumers: wantedConsumers, grants } };
  });
