import { envoyYaml } from '../../support/attachments/attachment.ts';
import { localReplyCases } from './cases/local-reply.ts';

localReplyCases(envoyYaml);
