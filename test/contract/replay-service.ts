// The service of the files that replay recorded sessions: with two of them, in their season. Such files can share a
// process, and then share the service (test/suite.ts). So their tests have accounts of their own, and a test that changes
// what all accounts see changes it back.

import { after } from 'node:test';
import { importBothSessions } from '#test/support/brief-session.ts';
import { contractService } from '#test/support/contract-service.ts';
import { IN_SEASON } from './short-session.ts';

export const service = await contractService({ after }, IN_SEASON, importBothSessions);
