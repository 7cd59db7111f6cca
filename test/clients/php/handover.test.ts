import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { built, describeHandedOver } from '../../support/clients/handed-over.ts';
import { projectRoot } from '../../support/docs/documents.ts';

/** Composer stands beside PHP. */
const besidePhp = async (): Promise<{ readonly tools: string }> => ({
  tools: dirname(await realpath(join(projectRoot, '.services/bin/php'))),
});

describeHandedOver('php', built('php', 'dist/postern-client-0.1.0.zip'), besidePhp);
