import { envoyYaml } from '../../support/attachments/attachment.ts';
import { callerAddressCases } from './cases/caller-address.ts';

callerAddressCases(envoyYaml);
