import { parse } from 'yaml';
import { type Json } from '../../support/envoy/envoy-config.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';

/** The piece of Envoy's configuration that a guide shows under this name; a copy. */
export function guideSnippet(name: string, guide = 'docs/migrating-from-kong.md'): Json {
  const fence = readFences(readDocument(guide), 'yaml').find((text) => text.startsWith(`# ${name}\n`));
  if (fence === undefined) throw new Error(`the guide has no snippet "${name}"`);
  return parse(fence) as Json;
}
