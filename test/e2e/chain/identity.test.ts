import { envoyYaml } from '../../support/attachments/attachment.ts';
import { identityCases } from './cases/identity.ts';

identityCases(envoyYaml);
