import { languages } from '../../support/clients/languages.ts';
import { testClient } from '../cases/contract.ts';

testClient(languages.python);
