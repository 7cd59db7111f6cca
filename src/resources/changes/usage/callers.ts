import type { LabelSelector } from '../../../model/labels.ts';
import type { TrafficSelection } from '../../../model/traffic-count.ts';
import type { ResourceStore } from '../resource-store.ts';
import type { Grouping } from './sum-traffic.ts';

/** Whose requests are asked for. What is absent does not narrow. */
export interface WantedCallers {
  readonly consumer?: string | undefined;
  /** Of consumers with these labels. */
  readonly label?: LabelSelector | undefined;
  readonly by: Grouping;
}

/** Whose requests are counted: of one consumer, of those with the labels, of each, or of all callers together. */
export async function callersOf(
  { consumer, label, by }: WantedCallers,
  resources: Pick<ResourceStore, 'list'>,
): Promise<TrafficSelection['consumers']> {
  if (label === undefined) {
    if (consumer !== undefined) return [consumer];
    return by === 'consumer' ? 'each' : null;
  }
  const named = consumer === undefined ? {} : { ids: [consumer] };
  const ids: string[] = [];
  for await (const { resource } of resources.list('consumer', { ...named, labels: label })) ids.push(resource.id);
  return ids;
}
