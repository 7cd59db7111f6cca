import type { Consumer } from '../../model/consumer.ts';
import { type Declared, withoutDefaults } from './declared.ts';

/** A consumer as a declarative file has it, with these declared credentials; defaults are left out. */
export function declareConsumer(
  { id, name, description, labels, enabled }: Consumer,
  credentials: readonly Declared[] = [],
): Declared {
  return withoutDefaults(
    { id, name, description, labels: { ...labels }, enabled, credentials },
    { name: null, description: '', labels: {}, enabled: true, credentials: [] },
  );
}
