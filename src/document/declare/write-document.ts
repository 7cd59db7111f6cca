import { renderBlock, renderFlow } from './render-yaml.ts';
import type { Declared } from './declared.ts';
import { escapeInJson } from './escape-invisible.ts';

/** The parts of a declarative document, in its order, each read when it is its turn. */
export interface DocumentParts {
  /** Lines for people at the top of a YAML document; JSON has no place for them. */
  readonly comment: readonly string[];
  readonly endpoints: AsyncIterable<Declared>;
  /** With their credentials. */
  readonly consumers: AsyncIterable<Declared>;
  readonly grants: AsyncIterable<Declared>;
}

const sections = ['endpoints', 'consumers', 'grants'] as const;

/** Writes a declarative document (interfaces §4), piece by piece, so that any number of resources can be written. */
export async function* writeDocument(parts: DocumentParts, format: 'yaml' | 'json'): AsyncGenerator<string> {
  yield* format === 'yaml' ? writeYaml(parts) : writeJson(parts);
}

async function* writeYaml(parts: DocumentParts): AsyncGenerator<string> {
  yield `${parts.comment.map((line) => `# ${line}\n`).join('')}version: 1\n`;
  for (const section of sections) {
    let isEmpty = true;
    for await (const declared of parts[section]) {
      if (isEmpty) yield `${section}:\n`;
      isEmpty = false;
      yield section === 'grants' ? `  - ${renderFlow(declared)}\n` : `  - ${renderBlock(declared, 4).trimStart()}`;
    }
  }
}

async function* writeJson(parts: DocumentParts): AsyncGenerator<string> {
  yield '{\n  "version": 1';
  for (const section of sections) {
    yield `,\n  "${section}": [`;
    let isEmpty = true;
    for await (const declared of parts[section]) {
      yield `${isEmpty ? '' : ','}\n    ${escapeInJson(JSON.stringify(declared))}`;
      isEmpty = false;
    }
    yield isEmpty ? ']' : '\n  ]';
  }
  yield '\n}\n';
}
