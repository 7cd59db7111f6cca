import type { ManagedCredential } from '../../manage/resource.ts';
import type { Consumer } from '../../model/consumer.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { declareConsumer } from './declare-consumer.ts';
import { declareCredential, type SecretsShown } from './declare-credential.ts';
import type { Declared } from './declared.ts';
import { declareEndpoint } from './declare-endpoint.ts';

// For programs, which ask for what is in force, and for exported files, which say it again when they are applied: the
// words of a declarative file (interfaces §4) with those defaults written out that decide whether and whom a resource
// lets in.

/** An endpoint, always with `enabled` and, where it has one, `accessCondition`. */
export function declareWholeEndpoint(endpoint: Endpoint): Declared {
  const { enabled } = endpoint;
  const condition = endpoint.scenario === 'open' ? {} : { accessCondition: endpoint.accessCondition };
  return { ...declareEndpoint(endpoint), ...condition, enabled };
}

/** A consumer, always with `enabled`, and with these declared credentials. */
export function declareWholeConsumer(consumer: Consumer, credentials?: readonly Declared[]): Declared {
  const { credentials: declared, ...rest } = declareConsumer(consumer, credentials);
  return { ...rest, enabled: consumer.enabled, ...(declared === undefined ? {} : { credentials: declared }) };
}

/** A credential, always with `state`, as a consumer lists it. */
export function declareWholeOwned(credential: ManagedCredential, secrets: SecretsShown): Declared {
  return { ...declareCredential(credential, secrets), state: credential.state };
}

/** A credential, always with `state`, and with its consumer. */
export function declareWholeCredential(credential: ManagedCredential, secrets: SecretsShown): Declared {
  const { id, ...declared } = declareWholeOwned(credential, secrets);
  return { id, consumer: credential.consumerId, ...declared };
}
