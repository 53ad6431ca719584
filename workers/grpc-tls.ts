// The certificate and key of the gRPC listener. They are read before the database is made, so that a wrong one is named at once.

import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigError, type TlsFiles } from './config.ts';

/** PEM texts. */
export interface TlsTexts {
  readonly cert: string;
  readonly key: string;
}

/** Rejects with a ConfigError if one cannot be read, or if they are no certificate and its key. */
export async function readTls(files: TlsFiles): Promise<TlsTexts> {
  const text = (name: string, file: string): Promise<string> =>
    readFile(file, 'utf8').catch((error: Error) => {
      throw new ConfigError([`${name}: ${error.message}`]);
    });
  const texts = { cert: await text('GRPC_TLS_CERT', files.cert), key: await text('GRPC_TLS_KEY', files.key) };
  try {
    createSecureContext(texts);
  } catch (error) {
    throw new ConfigError([`GRPC_TLS_CERT or GRPC_TLS_KEY: ${(error as Error).message}`]);
  }
  return texts;
}
