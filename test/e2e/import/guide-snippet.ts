import { parse } from 'yaml';
import { type Json } from '../../support/envoy/envoy-config.ts';
import { readDocument } from '../../support/docs/documents.ts';

const kongSnippets = 'examples/kong/envoy-snippets.yaml';

/** The piece of Envoy's configuration that a guide's file of pieces has under this name; a copy. */
export function guideSnippet(name: string, file = kongSnippets): Json {
  const piece = readDocument(file)
    .split('---\n')
    .find((each) => each.startsWith(`# ${name}\n`));
  if (piece === undefined) throw new Error(`${file} has no snippet "${name}"`);
  return parse(piece) as Json;
}
