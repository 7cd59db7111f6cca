import { parse } from 'yaml';
import { type Json } from '../../support/envoy/envoy-config.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';

const kongSnippets = 'examples/kong/envoy-snippets.yaml';

/** The piece of Envoy's configuration that a guide, or the file of pieces for Kong, has under this name; a copy. */
export function guideSnippet(name: string, guide = kongSnippets): Json {
  const text = readDocument(guide);
  const pieces = guide === kongSnippets ? text.split('---\n') : readFences(text, 'yaml');
  const piece = pieces.find((each) => each.startsWith(`# ${name}\n`));
  if (piece === undefined) throw new Error(`${guide} has no snippet "${name}"`);
  return parse(piece) as Json;
}
