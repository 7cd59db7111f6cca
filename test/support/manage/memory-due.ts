import type { DueOrder, DuePlace, DueSource } from '../../../src/resources/changes/due-source.ts';
import { firstCertificateEndOf } from '../../../src/model/certificate-ends.ts';
import { formerEndOf } from '../../../src/model/material.ts';
import type { ManagedCredential, Stored } from '../../../src/resources/resource.ts';
import type { MemoryResourceStore } from './memory-resource-store.ts';

/** What the indexes of a database say of the credentials in memory. */
export function memoryDue(store: MemoryResourceStore): DueSource {
  const secondsOf = (order: DueOrder, { resource, createdAt }: Stored<ManagedCredential>): number | null => {
    const { id, state, material, expiresAt, notBefore } = resource;
    switch (order) {
      case 'end':
        return expiresAt;
      case 'certificate':
        return firstCertificateEndOf(material);
      case 'former-secret':
        return material.kind === 'public-key' ? null : formerEndOf(material);
      case 'former-key':
        return material.kind === 'public-key' ? formerEndOf(material) : null;
      case 'retiring':
        return state === 'retiring' ? expiresAt : null;
      case 'idle':
        return Math.max(createdAt, notBefore ?? 0, store.usage.get(id)?.lastUsedAt ?? 0);
    }
  };
  const isBehind = (place: DuePlace, other: DuePlace): boolean =>
    place.atMs > other.atMs || (place.atMs === other.atMs && place.id > other.id);
  return {
    list: async function* ({ order, afterMs, untilMs, behind }) {
      const places: DuePlace[] = [];
      await Promise.resolve();
      for (const stored of store.indexed()) {
        const seconds = secondsOf(order, stored);
        if (seconds !== null) places.push({ order, atMs: seconds * 1000, id: stored.resource.id });
      }
      const fitting = places.filter(
        (place) => place.atMs > afterMs && place.atMs <= untilMs && (behind === null || isBehind(place, behind)),
      );
      yield* fitting.sort((one, other) => (isBehind(one, other) ? 1 : -1));
    },
  };
}
