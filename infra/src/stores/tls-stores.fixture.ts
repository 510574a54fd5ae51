import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { connect } from 'node:tls'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type CertificateAuthority, makeAuthority } from '@ratchet/testing/make-certificate'
import { type Child, startChild } from '../processes/child.ts'
import { findRedis } from './find-redis.ts'
import { postgresSpec, postgresUrl, takesConnections } from './start-postgres.ts'

/** A Postgres and a Redis that accept encrypted connections only. */
export interface TlsStores {
  /** The authority that issued their certificates, and one that did not; files in PEM. */
  readonly trustedFile: string
  readonly otherFile: string
  readonly trusted: CertificateAuthority
  /** The address of the database, without `sslmode`. */
  readonly databaseUrl: string
  readonly redisUrl: string
  stop(): Promise<void>
}

/** @param folder that other users can enter: root runs Postgres as another user */
export async function startTlsStores(folder: string): Promise<TlsStores> {
  const [trusted, other] = [makeAuthority('stores'), makeAuthority('others')]
  const [trustedFile, otherFile] = [path.join(folder, 'ca.pem'), path.join(folder, 'other.pem')]
  writeFileSync(trustedFile, trusted.certificate)
  writeFileSync(otherFile, other.certificate)
  const redis = await startTlsRedis(path.join(folder, 'redis'), trusted)
  const postgres = await startTlsPostgres(path.join(folder, 'postgres'), trusted, trustedFile)
  return {
    trustedFile,
    otherFile,
    trusted,
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    async stop() {
      await redis.child.stop()
      await postgres.child.stop()
    },
  }
}

interface TlsStore {
  readonly child: Child
  readonly url: string
}

async function startTlsPostgres(folder: string, authority: CertificateAuthority, caFile: string): Promise<TlsStore> {
  const [certificateFile, keyFile] = [path.join(folder, 'tls.crt'), path.join(folder, 'tls.key')]
  const options = {
    folder,
    port: await anyFreePort(),
    password: 'secret',
    settings: { ssl: 'on', ssl_cert_file: certificateFile, ssl_key_file: keyFile },
  }
  const spec = await postgresSpec(options)
  const { certificate, key } = authority.issue()
  const owner = statSync(folder)
  const rules = 'hostssl all all 127.0.0.1/32 scram-sha-256\n'
  for (const [file, text] of [
    [certificateFile, certificate],
    [keyFile, key],
    [path.join(folder, 'pg_hba.conf'), rules],
  ] as const) {
    writeFileSync(file, text, { mode: 0o600 })
    chownSync(file, owner.uid, owner.gid)
  }
  const url = postgresUrl(options)
  const isReady = () => takesConnections(`${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`)
  return { child: await startChild({ ...spec, isReady }), url }
}

async function startTlsRedis(folder: string, authority: CertificateAuthority): Promise<TlsStore> {
  const { certificate, key } = authority.issue()
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'tls.crt'), certificate)
  writeFileSync(path.join(folder, 'tls.key'), key)
  writeFileSync(path.join(folder, 'ca.pem'), authority.certificate)
  const port = await anyFreePort()
  const settings = {
    bind: '127.0.0.1',
    port: '0',
    'tls-port': String(port),
    'tls-cert-file': 'tls.crt',
    'tls-key-file': 'tls.key',
    'tls-ca-cert-file': 'ca.pem',
    'tls-auth-clients': 'no',
    save: '',
    'maxmemory-policy': 'noeviction',
  }
  const child = await startChild({
    name: 'redis',
    command: await findRedis(() => undefined),
    args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: 30_000,
    readyTimeoutMs: 60_000,
    isReady: () => answersOverTls(port, authority.certificate),
  })
  return { child, url: `rediss://127.0.0.1:${port}` }
}

function answersOverTls(port: number, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', ca }, () => socket.write('PING\r\n'))
    const finish = (isReady: boolean) => {
      socket.destroy()
      resolve(isReady)
    }
    socket.setTimeout(1_000, () => finish(false))
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')))
    socket.once('error', () => finish(false))
  })
}
