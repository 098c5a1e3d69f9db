/**
 * A certificate for 127.0.0.1, made once before the tests behind a proxy. Node reads NODE_EXTRA_CA_CERTS when a process
 * begins: the processes of the tests, and those that they start, trust this certificate, and verify that the proxy has
 * it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-certificate-'));
  const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
  const files = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', 'own.key', '-out', 'own.pem'];
  const { error, status, stderr } = spawnSync('openssl', ['req', ...made, ...files], { cwd: folder, encoding: 'utf8' });
  if (error !== undefined) throw new Error(`${error.message}: install Debian's package openssl`);
  if (status !== 0) throw new Error(`openssl has made no certificate: ${stderr}`);
  process.env['NODE_EXTRA_CA_CERTS'] = join(folder, 'own.pem');
  return () => rmSync(folder, { recursive: true, force: true });
}

/** The paths of the certificate and its key. */
export function ownCertificate(): { readonly certificate: string; readonly key: string } {
  const certificate = process.env['NODE_EXTRA_CA_CERTS'];
  if (certificate?.endsWith('/own.pem') !== true)
    throw new Error('no certificate for the proxy has been made: these tests are run by npm run proxy-check');
  return { certificate, key: join(dirname(certificate), 'own.key') };
}
