// A name server on loopback, over UDP and TCP, that resolves each name as its misbehaviour says.
//
// RFC 1035: a response is a head of twelve bytes, the question as received, and the records.

import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { NameAnswer } from './misbehaviour.ts';

const HEAD_BYTES = 12;
const TYPE_V4 = 1;
const TYPE_ALIAS = 5;
const TYPE_V6 = 28;
const CLASS_INTERNET = 1;
const TTL_S = 60;
/** A response, with recursion desired and available. */
const FLAGS_ANSWER = 0x8180;
const FLAG_TRUNCATED = 0x0200;
const NAME_UNKNOWN = 3;
/** Larger responses are truncated, so the client asks again over TCP. */
const DATAGRAM_BYTES_MAX = 1_232;
/** A compressed name that points to the question, right after the head. */
const POINTER_TO_QUESTION = Buffer.from([0xc0, HEAD_BYTES]);

export class NameServer {
  readonly #answers: ReadonlyMap<string, NameAnswer>;
  readonly #host: string;
  readonly #datagrams: DatagramSocket = createSocket('udp4');
  readonly #streams: Server;
  readonly #open = new Set<Socket>();
  /** Cached records by type: encoding thousands of addresses each time would be slow. */
  readonly #records = new Map<NameAnswer, Map<number, Buffer[]>>();
  /** Changing names that were queried before. */
  readonly #changed = new Set<string>();
  /** Queries for IPv4 addresses, by name. */
  readonly queries = new Map<string, number>();
  #port = 0;

  /** `answers` are by lower-case name. */
  constructor(answers: ReadonlyMap<string, NameAnswer>, host: string) {
    this.#answers = answers;
    this.#host = host;
    this.#streams = createServer((socket) => this.#converse(socket));
    this.#datagrams.on('message', (question, from) => {
      const answer = this.#answer(question);
      if (answer === null) return;
      const sent = answer.length > DATAGRAM_BYTES_MAX ? truncated(question) : answer;
      this.#datagrams.send(sent, from.port, from.address, () => {});
    });
  }

  /** Host and port, in the form that a resolver takes. */
  get address(): string {
    return `${this.#host}:${this.#port}`;
  }

  /** Port 0 means any free port. */
  async listen(port: number): Promise<void> {
    this.#streams.listen(port, this.#host);
    await once(this.#streams, 'listening');
    this.#port = (this.#streams.address() as AddressInfo).port;
    this.#datagrams.bind(this.#port, this.#host);
    await once(this.#datagrams, 'listening');
  }

  close(): void {
    this.#datagrams.close();
    this.#streams.close();
    for (const socket of this.#open) socket.destroy();
  }

  #converse(socket: Socket): void {
    this.#open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#open.delete(socket));
    let held = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      held = Buffer.concat([held, piece]);
      while (held.length >= 2 && held.length >= 2 + held.readUInt16BE(0)) {
        const end = 2 + held.readUInt16BE(0);
        const answer = this.#answer(held.subarray(2, end));
        held = held.subarray(end);
        if (answer !== null) socket.write(Buffer.concat([uint16(answer.length), answer]));
      }
      if (held.length > DATAGRAM_BYTES_MAX) socket.destroy();
    });
  }

  #answer(question: Buffer): Buffer | null {
    if (question.length < HEAD_BYTES + 5) return null;
    const { name, end } = nameIn(question);
    const type = question.readUInt16BE(end);
    if (type === TYPE_V4) this.queries.set(name, (this.queries.get(name) ?? 0) + 1);
    const answer = this.#answers.get(name);
    if (answer === undefined) return message(question, NAME_UNKNOWN, []);
    switch (answer.kind) {
      case 'silence':
        return null;
      case 'nonsense':
        return Buffer.concat([question.subarray(0, 2), Buffer.from('this is no answer to any question')]);
      case 'code':
        return message(question, answer.code, []);
      case 'addresses':
        return message(question, 0, this.#recordsOf(answer, type));
      case 'half silence':
        return type === TYPE_V4 ? message(question, 0, addressRecords(type, answer.v4, [])) : null;
      case 'lost query':
        if (type === TYPE_V4 && this.queries.get(name) === 1) return null;
        return message(question, 0, addressRecords(type, answer.v4, answer.v6));
      case 'alias':
        return message(question, 0, aliasRecords(type, answer.of, answer.address));
      case 'change': {
        const before = type === TYPE_V4 && !this.#changed.has(name);
        if (type === TYPE_V4) this.#changed.add(name);
        const addresses = [before ? answer.first : answer.after];
        return message(question, 0, addressRecords(type, addresses, [], POINTER_TO_QUESTION, 0));
      }
    }
  }

  #recordsOf(answer: Extract<NameAnswer, { kind: 'addresses' }>, type: number): Buffer[] {
    const byType = this.#records.get(answer) ?? new Map<number, Buffer[]>();
    const records = byType.get(type) ?? addressRecords(type, answer.v4, answer.v6 ?? []);
    this.#records.set(answer, byType.set(type, records));
    return records;
  }
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);

/** The name in the question of a message, and the offset of its end. */
function nameIn(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  while (at < question.length - 4 && question[at] !== 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!));
    at += 1 + question[at]!;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function message(question: Buffer, code: number, records: readonly Buffer[], flags = FLAGS_ANSWER): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  question.copy(head, 0, 0, 2);
  head.writeUInt16BE(flags | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, question.subarray(HEAD_BYTES, nameIn(question).end + 4), ...records]);
}

const truncated = (question: Buffer): Buffer => message(question, 0, [], FLAGS_ANSWER | FLAG_TRUNCATED);

function record(name: Buffer, type: number, data: Buffer, ttlS = TTL_S): Buffer {
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(ttlS);
  return Buffer.concat([name, uint16(type), uint16(CLASS_INTERNET), ttl, uint16(data.length), data]);
}

function addressRecords(
  type: number,
  v4: readonly string[],
  v6: readonly string[],
  name = POINTER_TO_QUESTION,
  ttlS = TTL_S,
): Buffer[] {
  const addresses = type === TYPE_V4 ? v4 : type === TYPE_V6 ? v6 : [];
  return addresses.map((address) => record(name, type, Buffer.from(ipaddr.parse(address).toByteArray()), ttlS));
}

function aliasRecords(type: number, of: string, address: string): Buffer[] {
  const labels = of.split('.').map((label) => Buffer.from(String.fromCharCode(label.length) + label, 'latin1'));
  const name = Buffer.concat([...labels, Buffer.from([0])]);
  return [record(POINTER_TO_QUESTION, TYPE_ALIAS, name), ...addressRecords(type, [address], [], name)];
}
