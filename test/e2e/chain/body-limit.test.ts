import { envoyYaml } from '../../support/attachments/attachment.ts';
import { bodyLimitCases } from './cases/body-limit.ts';

bodyLimitCases(envoyYaml);
