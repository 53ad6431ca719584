// A receiver to paste: it checks every signature, and says what arrived. For an endpoint on the customer's own machine it
// listens where the endpoint points to.

const PORT = 9000;
const FILE = 'receiver.mjs';
const OWN_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Where a first receiver listens, for somebody whose service runs on the same machine. */
export const OWN_URL = `http://localhost:${PORT}/hook`;

export function isOwnMachine(hostname: string): boolean {
  return OWN_MACHINE.has(hostname);
}

/** A command for a shell that writes the receiver and runs it. Needs Node. */
export function receiverCommand(webhookUrl: string, secret: string): string {
  const { hostname, port } = new URL(webhookUrl);
  const listensOn = isOwnMachine(hostname) && port !== '' ? Number(port) : PORT;
  return `cat > ${FILE} <<'END'
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const hmac = createHmac('sha256', process.env.WEBHOOK_SECRET).update(body).digest('hex');
    const expected = Buffer.from(\`sha256=\${hmac}\`);
    const given = Buffer.from(request.headers['x-service-signature'] ?? '');
    const verified = given.length === expected.length && timingSafeEqual(given, expected);
    response.writeHead(verified ? 200 : 401).end();
    console.log(verified ? 'verified' : 'REFUSED', request.headers['x-service-feed'], request.headers['webhook-id']);
  });
}).listen(${listensOn});
END
WEBHOOK_SECRET=${secret} node ${FILE}
`;
}
