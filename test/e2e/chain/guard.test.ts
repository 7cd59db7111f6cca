import { envoyYaml } from '../../support/attachments/attachment.ts';
import { guardCases } from './cases/guard.ts';

guardCases(envoyYaml);
