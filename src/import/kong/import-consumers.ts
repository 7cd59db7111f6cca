import type { Declared } from '../../document/declare/declared.ts';
import { placeIn } from '../../document/problem-log.ts';
import { ID_PATTERN } from '../../document/fields.ts';
import type { EffectivePlugins } from './effective-plugins.ts';
import { type FindingLog, quoted } from './finding.ts';
import { credentialImporter } from './import-credentials.ts';
import type { ImportOptions } from './import-options.ts';
import { type KongConsumer, nameOfConsumer } from './kong-entities.ts';
import type { KongReader } from './kong-reader.ts';
import { kindOfPlugin } from './plugin-kinds.ts';
import { uniqueIds } from './unique-ids.ts';

/** The consumers of the document. */
export interface ImportedConsumers {
  readonly declared: readonly Declared[];
  readonly ids: ReadonlyMap<KongConsumer, string>;
  readonly holdsSecrets: boolean;
}

/** The longest name that a consumer can have. */
const MAX_NAME_LENGTH = 256;
const LONE_SURROGATE = /\p{Cs}/gu;

/** Ids of consumers: Kong's own where the file has it, because back ends know it from X-Consumer-Id; else made of the name. */
export function consumerIds(consumers: readonly KongConsumer[]): ReadonlyMap<KongConsumer, string> {
  const named = consumers.map((consumer) => {
    const { id, username, customId } = consumer;
    const identity = JSON.stringify([username, customId, id]);
    return { name: id !== null && ID_PATTERN.test(id) ? id : (username ?? customId ?? id ?? ''), identity };
  });
  const ids = uniqueIds(named);
  return new Map(consumers.map((consumer, index) => [consumer, ids[index] ?? '']));
}

/** Takes consumers over. `disabled` are those of which something could not be taken over that kept them out. */
export function importConsumers(
  consumers: readonly KongConsumer[],
  ids: ReadonlyMap<KongConsumer, string>,
  disabled: ReadonlySet<KongConsumer>,
  reader: KongReader,
  findings: FindingLog,
): ImportedConsumers {
  const credentials = credentialImporter(reader, findings);
  const declared = consumers.map((consumer): Declared => {
    const { username, customId, tags } = consumer;
    const id = ids.get(consumer) ?? '';
    const name = wellFormed(username ?? customId ?? '').slice(0, MAX_NAME_LENGTH);
    const labels = {
      ...(customId === null ? {} : { 'kong-custom-id': wellFormed(customId) }),
      ...(tags.length === 0 ? {} : { 'kong-tags': wellFormed(tags.join(',')) }),
    };
    const list = credentials.of(consumer);
    if (customId !== null) {
      findings.add('warning', placeIn(consumer.place, 'custom_id'), {
        subject: `consumer ${quoted(nameOfConsumer(consumer))}`,
        what: 'is told to back ends by X-Consumer-Custom-Id too, which Postern removes; it became a label',
        instead: 'look at X-Consumer-Id or X-Consumer-Username in the back end',
      });
    }
    return {
      id,
      ...(name.trim() === '' || name === id ? {} : { name }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(disabled.has(consumer) ? { enabled: false } : {}),
      ...(list.length === 0 ? {} : { credentials: list }),
    };
  });
  return { declared, ids, holdsSecrets: credentials.holdsSecrets() };
}

/** The consumers that plugins of their own keep out, or may. */
export function consumersKeptOut(
  effective: EffectivePlugins,
  { elsewhere }: ImportOptions,
  findings: FindingLog,
): ReadonlySet<KongConsumer> {
  const keptOut = new Set<KongConsumer>();
  for (const [consumer, plugins] of effective.byConsumer) {
    const subject = `consumer ${quoted(nameOfConsumer(consumer))}`;
    for (const { name, place } of plugins) {
      const kind = kindOfPlugin(name);
      if (kind.kind === 'termination') {
        keptOut.add(consumer);
        findings.add('warning', place, {
          subject,
          what: 'is kept out by "request-termination"; the consumer is disabled, and refused with 401',
        });
      } else if (kind.kind !== 'limit' && kind.kind !== 'bystander' && kind.kind !== 'cors' && !elsewhere.has(name)) {
        keptOut.add(consumer);
        findings.add('error', place, {
          subject,
          what: `has the plugin ${quoted(name)}, which may keep it out and which Postern has not for single consumers: the consumer is disabled`,
          instead: 'do in Envoy what it does, then write "enabled: true" by hand',
        });
      }
    }
  }
  return keptOut;
}

function wellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, '\ufffd');
}
