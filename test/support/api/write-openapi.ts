import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../docs/documents.ts';
import { MemoryApi } from './memory-api.ts';

/** Writes the OpenAPI document that the code makes: `npm run openapi`. */
const { body } = await new MemoryApi().ask(null, 'GET', '/openapi.json');
writeFileSync(join(projectRoot, 'docs/openapi.json'), `${JSON.stringify(body, null, 2)}\n`);
