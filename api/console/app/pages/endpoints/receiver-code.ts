// A receiver to paste: it checks every signature, and says what arrived. For an endpoint on the customer's own machine it
// listens where the endpoint points to. It reads the standard headers alone: operators can rename the others.

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

const key = Buffer.from(process.env.WEBHOOK_SECRET.slice('whsec_'.length), 'base64');

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = request.headers;
    const expected = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest();
    const isGenuine = signatures.split(' ').some((signature) => {
      const given = Buffer.from(signature.replace('v1,', ''), 'base64');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    const verified = isGenuine && Math.abs(Date.now() / 1000 - time) < 300;
    response.writeHead(verified ? 200 : 401).end();
    console.log(verified ? \`verified \${JSON.parse(body).feed} \${id}\` : 'REFUSED');
  });
}).listen(${listensOn});
END
WEBHOOK_SECRET=${secret} node ${FILE}
`;
}
