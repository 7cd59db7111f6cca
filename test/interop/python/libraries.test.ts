import { issuerCases } from '../cases/issuers.ts';
import { testPrograms } from '../cases/programs.ts';

testPrograms('python', (subject) => {
  issuerCases('python', subject);
});
