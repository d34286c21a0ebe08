// A test authority and its certificates, created at run time, so that the repository contains no key.
import { Buffer } from "node:buffer";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

// ASN.1 in DER: a tag, a length, the content
const der = (tag: number, ...contents: Uint8Array[]) => {
  const content = Buffer.concat(contents);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
};
const sequence = (...members: Uint8Array[]) => der(0x30, ...members);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const octets = (content: Uint8Array) => der(0x04, content);
const utcTime = (text: string) => der(0x17, Buffer.from(text));
const pem = (label: string, bytes: Uint8Array) => {
  const lines = Buffer.from(bytes).toString("base64").match(/.{1,64}/g)!.join("\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
};

const ED25519 = sequence(oid(0x2b, 0x65, 0x70));
const TRUE = Buffer.from([0x01, 0x01, 0xff]);
const name = (common: string) => sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(common)))));
const isAuthority = sequence(oid(0x55, 0x1d, 0x13), TRUE, octets(sequence(TRUE)));
const alternativeNames = (hosts: string[]) =>
  sequence(
    oid(0x55, 0x1d, 0x11),
    octets(sequence(...hosts.map((host) =>
      /^[\d.]+$/.test(host)
        ? der(0x87, Buffer.from(host.split(".").map(Number))) // an IP address
        : der(0x82, Buffer.from(host))
    ))),
  );

interface Subject {
  common: string;
  publicKey: KeyObject;
  extension: Uint8Array;
  years?: [from: number, to: number];
}

/** An X.509 certificate (RFC 5280) with an Ed25519 key (RFC 8410). */
function certificate(subject: Subject, issuer: string, issuerKey: KeyObject): string {
  const [from, to] = subject.years ?? [20, 49];
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1, ...crypto.getRandomValues(new Uint8Array(8))])),
    ED25519,
    name(issuer),
    sequence(utcTime(`${from}0101000000Z`), utcTime(`${to}0101000000Z`)),
    name(subject.common),
    subject.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(subject.extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign(null, content, issuerKey));
  return pem("CERTIFICATE", sequence(content, ED25519, signature));
}

export interface Authority {
  /** Its own certificate, PEM. */
  cert: string;
  /** A certificate and key for servers with these names or IPv4 addresses; `years` are of this century. */
  issue(hosts: string[], years?: [from: number, to: number]): { cert: string; key: string };
}

export function authority(common = "Test authority"): Authority {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  return {
    cert: certificate({ common, publicKey, extension: isAuthority }, common, privateKey),
    issue(hosts, years) {
      const own = generateKeyPairSync("ed25519");
      const subject = { common: "server", publicKey: own.publicKey, extension: alternativeNames(hosts), years };
      return {
        cert: certificate(subject, common, privateKey),
        key: String(own.privateKey.export({ type: "pkcs8", format: "pem" })),
      };
    },
  };
}
