// Liveness and readiness.

import Type from 'typebox';

export const HealthAnswer = Type.Object({ status: Type.String({ description: '`ok`; of the readiness `ready`.' }) });
