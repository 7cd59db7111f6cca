import type { Place } from '../../../model/document/problem-log.ts';
import type { ReportDifference } from '../../../check/methods/kong.ts';
import type { KongMapping, PluginConfig } from './kong-mapping.ts';
import type { ImportedMethod } from './plugin-kinds.ts';

/** A service of Kong: what its routes lead to. */
export interface KongService {
  readonly place: Place;
  readonly id: string | null;
  readonly name: string | null;
  readonly isEnabled: boolean;
}

/** A route of Kong: which requests it takes, and where they go. */
export interface KongRoute {
  readonly place: Place;
  readonly report: ReportDifference;
  readonly id: string | null;
  readonly name: string | null;
  readonly service: KongService | null;
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly methods: readonly string[];
  readonly protocols: readonly string[];
  /** How many headers it matches by. */
  readonly headerCount: number;
  /** What else it matches by that no endpoint can: `headers`, `snis`, `sources`, `destinations`, `expression`. */
  readonly otherConditions: readonly string[];
  readonly regexPriority: number;
  /**
   * Something of it is unknown or not filled in: which requests it takes is not sure, and it may be stricter than it
   * looks. Reported; it lets nobody in, and counts as preferred to every other route.
   */
  readonly isDoubtful: boolean;
  readonly stripsPath: boolean;
  /** Back ends get the caller's Host. */
  readonly preservesHost: boolean;
  /** Kong holds the whole body before it passes a request on. */
  readonly buffersRequest: boolean;
}

/** What a plugin applies to; null for any. */
export interface PluginScope {
  readonly service: KongService | null;
  readonly route: KongRoute | null;
  readonly consumer: KongConsumer | null;
}

/** A plugin of a configuration, with what it applies to. */
export interface KongPlugin extends PluginScope {
  readonly place: Place;
  readonly name: string;
  readonly config: PluginConfig;
  /** Stands for a restriction that could not be read, and was reported: it keeps everything out where it applies. */
  readonly isDoubtful: boolean;
}

/** A credential of a configuration, of a method that can be imported. */
export interface KongCredential {
  /** The method that it is for. */
  readonly kind: ImportedMethod;
  readonly entity: KongMapping;
}

/** A consumer of a configuration, with what is below it. */
export interface KongConsumer {
  readonly place: Place;
  readonly report: ReportDifference;
  readonly id: string | null;
  readonly username: string | null;
  readonly customId: string | null;
  readonly tags: readonly string[];
  /** The groups of `acls`. */
  readonly groups: Set<string>;
  /** The groups of Kong Enterprise, which are another thing. */
  readonly consumerGroups: Set<string>;
  readonly credentials: KongCredential[];
  /** Something of it is unknown or not filled in, and was reported: it is disabled, and has no grants. */
  isDoubtful: boolean;
}

/** What Kong's file declares, flattened. */
export interface KongConfiguration {
  readonly services: readonly KongService[];
  readonly routes: readonly KongRoute[];
  readonly plugins: readonly KongPlugin[];
  readonly consumers: readonly KongConsumer[];
  /** Whether a path is a regular expression only when it begins with `~` (format 3.0). */
  readonly marksRegexPaths: boolean;
}

/** What a report calls a route: its name, else its id, else its service. */
export function nameOfRoute({ name, id, service }: Pick<KongRoute, 'name' | 'id' | 'service'>): string {
  return name ?? id ?? (service === null ? 'without name' : `of ${nameOfService(service)}`);
}

/** What a report calls a service: its name, else its id. */
export function nameOfService({ name, id }: KongService): string {
  return name ?? id ?? 'service without name';
}

/** What a report calls a consumer: its user name, else the custom id, else the id. */
export function nameOfConsumer({ username, customId, id }: Pick<KongConsumer, 'username' | 'customId' | 'id'>): string {
  return username ?? customId ?? id ?? 'without name';
}
