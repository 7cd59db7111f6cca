import { envoyYaml } from '../../support/attachments/attachment.ts';
import { refusalCases } from './cases/refusal.ts';

refusalCases(envoyYaml);
