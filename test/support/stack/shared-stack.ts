import { type Stack, startStack } from './stack.ts';

let started: { readonly stack: Promise<Stack>; document: string } | undefined;

/**
 * The product that files of tests of one process share, with this document in force; it ends with the process. For
 * tests that neither stop nor count what it has: its log, its metrics and what it remembers are of all documents.
 */
export async function sharedStack(documentYaml: string): Promise<Stack> {
  if (started === undefined) {
    started = { stack: startStack(documentYaml), document: documentYaml };
    const { postern, envoy, backend } = await started.stack;
    for (const part of [postern, envoy, backend]) part.unref();
  }
  const stack = await started.stack;
  if (started.document !== documentYaml) {
    const loaded = (): number =>
      stack.postern.logs().filter(({ message }) => message === 'the declarative file is in force').length;
    const before = loaded();
    await stack.postern.replaceDocument(documentYaml);
    await stack.postern.logLine(() => loaded() > before);
    started.document = documentYaml;
  }
  stack.backend.reset();
  return stack;
}
