// Whether the process lives, and whether it can do its work.

import Type from 'typebox';

export const HealthAnswer = Type.Object({ status: Type.String() });
