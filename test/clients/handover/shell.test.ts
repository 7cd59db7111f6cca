import { join } from 'node:path';
import { describeHandedOver } from '../../support/clients/handed-over.ts';
import { projectRoot } from '../../support/docs/documents.ts';

describeHandedOver('shell', () => Promise.resolve(join(projectRoot, 'clients/shell/postern-curl')));
