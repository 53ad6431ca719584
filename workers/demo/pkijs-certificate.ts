// The certificate of the demo's receivers over https: made when the demo starts, signed with its own key, valid for the
// address of the receivers alone. Its key stays in memory. It can sign no other certificate, so a service that trusts it
// trusts nothing else.

import { KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import { Integer, OctetString, Utf8String } from 'asn1js';
import {
  AttributeTypeAndValue,
  BasicConstraints,
  Certificate,
  Extension,
  GeneralName,
  GeneralNames,
  id_BasicConstraints,
  id_SubjectAltName,
} from 'pkijs';
import { DEMO_CERTIFICATE_MS, DEMO_CLOCK_STEP_MS_MAX } from '#engine/base/limits.ts';

/** Both in PEM, named as a TLS server's options are. */
export interface ReceiverCertificate {
  readonly key: string;
  readonly cert: string;
}

const RECEIVER_ADDRESS = Uint8Array.of(127, 0, 0, 1);
const X509_V3 = 2;
const COMMON_NAME = '2.5.4.3';
const IP_ADDRESS = 7;

/** Makes a P-256 key and its certificate, valid from now on. `nowMs` is Unix epoch milliseconds. */
export async function makeReceiverCertificate(nowMs: number): Promise<ReceiverCertificate> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);
  const certificate = new Certificate();
  certificate.version = X509_V3;
  certificate.serialNumber = new Integer({ value: 1 });
  for (const name of [certificate.issuer, certificate.subject]) {
    const value = new Utf8String({ value: 'Slipstream demo' });
    name.typesAndValues.push(new AttributeTypeAndValue({ type: COMMON_NAME, value }));
  }
  certificate.notBefore.value = new Date(nowMs - DEMO_CLOCK_STEP_MS_MAX);
  certificate.notAfter.value = new Date(nowMs + DEMO_CERTIFICATE_MS);
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey);
  const address = new OctetString({ valueHex: RECEIVER_ADDRESS.buffer });
  const names = new GeneralNames({ names: [new GeneralName({ type: IP_ADDRESS, value: address })] });
  certificate.extensions = [
    extension(id_SubjectAltName, false, names),
    extension(id_BasicConstraints, true, new BasicConstraints({ cA: false })),
  ];
  await certificate.sign(keys.privateKey, 'SHA-256');
  return {
    key: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: new X509Certificate(Buffer.from(certificate.toSchema().toBER())).toString(),
  };
}

function extension(extnID: string, critical: boolean, value: GeneralNames | BasicConstraints): Extension {
  return new Extension({ extnID, critical, extnValue: value.toSchema().toBER() });
}
