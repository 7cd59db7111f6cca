import { issuerCases } from '../../cases/issuers.ts';
import { testPrograms } from '../../cases/programs.ts';

testPrograms('java', (subject) => {
  issuerCases('java', subject);
});
