import { envoyYaml } from '../../support/attachments/attachment.ts';
import { requestViewCases } from './cases/request-view.ts';

requestViewCases(envoyYaml);
