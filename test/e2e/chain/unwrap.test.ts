import { envoyYaml } from '../../support/attachments/attachment.ts';
import { unwrapCases } from './cases/unwrap.ts';

unwrapCases(envoyYaml);
