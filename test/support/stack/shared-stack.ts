import { type LogLine } from './postern-process.ts';
import { type Stack, startStack } from './stack.ts';

let started: { readonly stack: Promise<Stack>; document: string } | undefined;

/**
 * The product that files of tests of one process share, with this document in force; it ends with the process. For
 * tests that neither stop it nor look at what it says of itself: its log, which leaves lines out where there are many,
 * its metrics and what it remembers are of all documents.
 */
export async function sharedStack(documentYaml: string): Promise<Stack> {
  if (started === undefined) {
    started = { stack: startStack(documentYaml), document: documentYaml };
    const { postern, envoy, backend } = await started.stack;
    for (const part of [postern, envoy, backend]) part.unref();
  }
  const stack = await started.stack;
  if (started.document !== documentYaml) {
    const isLoaded = ({ message }: LogLine): boolean => message === 'the declarative file is in force';
    const before = stack.postern.logs().filter(isLoaded).length;
    await stack.postern.replaceDocument(documentYaml);
    let seen = 0;
    await stack.postern.logLine((line) => isLoaded(line) && (seen += 1) > before);
    started.document = documentYaml;
  }
  stack.backend.reset();
  return stack;
}
