import type { DocumentSource, UnreadSource } from '../../document/source-text.ts';

/** The files of a command that together are one document. */
export interface SourceFiles {
  /** As given, each once. */
  readonly files: readonly string[];
  /** Texts of the files that could be read. */
  readonly texts: ReadonlyMap<string, string>;
  readonly sources: readonly (DocumentSource | UnreadSource)[];
}

/** Reads the files of `-f`. One that cannot be read is a source whose problem is told with the others. */
export async function readSources(names: readonly string[]): Promise<SourceFiles> {
  const [{ readWholeFile }, { MAX_LARGE_DOCUMENT_BYTES }] = await Promise.all([
    import('../../files/read-whole-file.ts'),
    import('../../document/parse-document.ts'),
  ]);
  const files = [...new Set(names)];
  const texts = new Map<string, string>();
  const sources: (DocumentSource | UnreadSource)[] = [];
  for (const file of files) {
    const read = await readWholeFile(file, MAX_LARGE_DOCUMENT_BYTES);
    if (read.kind === 'read') {
      texts.set(file, read.text);
      sources.push({ file, text: read.text });
    } else if (read.kind === 'faulty') {
      sources.push({ file, line: read.line, message: read.message });
    } else {
      sources.push({ file, line: 1, message: 'the file changed while it was read; try again' });
    }
  }
  return { files, texts, sources };
}
