// English.

import { calendar } from './calendar.ts';
import { developers } from './developers.ts';
import { endpoints } from './endpoints.ts';
import { frame } from './frame.ts';
import { home } from './home.ts';
import { panels } from './panels.ts';
import { parts } from './parts.ts';
import { signIn } from './sign-in.ts';
import { theatre } from './theatre.ts';
import { usage } from './usage.ts';
import { welcome } from './welcome.ts';

export const en = { calendar, developers, endpoints, frame, home, panels, parts, signIn, theatre, usage, welcome };
