import { envoyYaml } from '../../support/attachments/attachment.ts';
import { answersOfOthersCases } from './cases/answers-of-others.ts';

answersOfOthersCases(envoyYaml);
